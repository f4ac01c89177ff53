import Foundation
import HTTPTypes
import LedgerEvents
import LedgerHistories
import NIOCore
import Testing

@testable import LedgerService

@Suite("Acts, verdicts and notifications over HTTP") struct ServiceActTests {
  private func verdict(_ bench: ServiceBench, _ query: String) async throws -> String? {
    try await bench.get("/v1/verdict?\(query)").object()["verdict"] as? String
  }

  @Test("a verdict is what the entitlements say", arguments: [1, 2, 3] as [UInt64])
  func verdicts(_ seed: UInt64) async throws {
    try await ServiceBench.run { bench in
      let events = Histories.dense(seed: seed)
      try bench.append(events)
      let accounts = Set(events.compactMap(\.event.account?.text)).union(["nobody"])
      for account in accounts {
        let name = account.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? account
        let answer = try await bench.get("/v1/entitlements?account=\(name)").object()
        let active = Set(answer["active"] as? [String] ?? [])
        let entries = answer["entitlements"] as? [[String: Any]] ?? []
        var items = Set(entries.compactMap { $0["product"] as? String }.map { "product=\($0)" })
        for entry in entries {
          let opened = entry["entitlements"] as? [String] ?? []
          for item in opened + [entry["entitlement"] as? String].compactMap({ $0 }) {
            items.insert("entitlement=\(item)")
          }
        }
        for item in items {
          let said = try await verdict(bench, "account=\(name)&\(item)")
          let isActive = active.contains(String(item.drop { $0 != "=" }.dropFirst()))
          #expect((said == "yes") == isActive, "seed \(seed), \(account), \(item): \(said ?? "-")")
        }
        if answer["known"] as? Bool == false, entries.isEmpty {
          #expect(try await verdict(bench, "account=\(name)&product=none") == "unknownAccount")
        }
      }
    }
  }

  @Test("a grant shows its effect before, counts at once, and is done once under one key")
  func grants() async throws {
    try await ServiceBench.run { bench in
      let grant = #"{"account":"a","entitlement":"pro","reason":"ticket 1"}"#
      #expect(try await bench.act("grant", grant).status == 404)
      let new = #"{"account":"a","entitlement":"pro","reason":"ticket 1","newAccount":true}"#
      let rehearsal = try await Reply(
        try await bench.response(
          .post, "/v1/acts/grant?dryRun=true", body: ByteBuffer(string: new)))
      #expect(rehearsal.body.contains(#""gained":["pro"]"#))
      #expect(try bench.lastPosition() == 0)
      let first = try await bench.act("grant", new, key: "k")
      #expect(first.status == 200 && first.body.contains(#""duplicate":false"#))
      #expect(try await verdict(bench, "account=a&entitlement=pro") == "yes")
      let again = try await bench.act("grant", new, key: "k")
      #expect(again.body.contains(#""duplicate":true"#))
      #expect(try await bench.act("grant", grant, key: "k").body.contains(#""duplicate":true"#))
      let other = #"{"account":"a","entitlement":"gold","reason":"ticket 1"}"#
      #expect(try await bench.act("grant", other, key: "k").status == 409)
      #expect(try bench.lastPosition() == 1)
      let end = #"{"account":"a","entitlement":"pro","reason":"a mistake"}"#
      #expect(try await bench.act("withdraw", end).status == 200)
      #expect(try await verdict(bench, "account=a&entitlement=pro") == "no")
      let event = try await bench.get("/v1/events/1").body
      #expect(event.contains(#""operator":"open""#) && event.contains("ticket 1"))
    }
  }

  @Test("an act by the command line and the same one over HTTP are one event")
  func oneAct() async throws {
    try await ServiceBench.run { bench in
      let said = try BuiltProgram.run(
        "daybook",
        [
          "grant", "a", "--entitlement", "pro", "--until", "2030-01-01T00:00:00Z", "--operator",
          "open", "--reason", "ticket 1", "--id", "one", "--new-account", "--ledger", bench.path,
        ])
      #expect(said.status == 0, "\(said.errors)")
      let same = #"{"id":"one","account":"a","entitlement":"pro","until":"2030-01-01T00:00:00Z","#
      let reply = try await bench.act("grant", same + #""reason":"ticket 1"}"#)
      #expect(reply.status == 200 && reply.body.contains(#""duplicate":true"#), "\(reply.body)")
      #expect(try bench.lastPosition() == 1)
    }
  }

  @Test("an act that is not understood is refused, with what was expected")
  func refusals() async throws {
    try await ServiceBench.run { bench in
      for (kind, body, words) in [
        ("grant", "", "body"), ("grant", "[]", "JSON object"),
        ("grant", #"{"acount":"a"}"#, "did you mean account?"),
        ("grant", #"{"account":"a","reason":"r"}"#, "entitlement or a product"),
        ("grant", #"{"account":"a","entitlement":"e","reason":" "}"#, "reason is missing"),
        ("grant", #"{"account":"a","entitlement":"e","reason":"r","until":"soon"}"#, "RFC 3339"),
        ("link", #"{"account":"a","to":"a","reason":"r"}"#, "the same"),
        ("note", #"{"account":"a"}"#, "text is missing"),
        ("assign", #"{"account":"a","reason":"r"}"#, "transaction is missing"),
      ] {
        let reply = try await bench.act(kind, body)
        #expect(reply.status == 400, "\(kind) \(body): \(reply.body)")
        #expect(reply.body.contains(words), "\(kind) \(body): \(reply.body)")
      }
      #expect(try bench.lastPosition() == 0)
    }
  }

  @Test("a notification that nobody signed is refused, and kept once")
  func notifications() async throws {
    try await ServiceBench.run { bench in
      for body in ["{}", "not JSON", #"{"signedPayload":"a.b.c"}"#, #"{"signedPayload":"a.b.c"}"#] {
        let reply = try await Reply(
          try await bench.response(
            .post, ServiceRoutes.notificationsPath, body: ByteBuffer(string: body)))
        #expect(reply.status == 400, "\(reply.body)")
      }
      let folder = bench.path + "/service/refused"
      let kept = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(kept.count == 3 && kept.allSatisfy { $0.hasPrefix("unsigned-") }, "\(kept)")
      let texts = try kept.map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
      #expect(texts.contains("not JSON"))
      #expect(try bench.lastPosition() == 0)
    }
  }
}
