import Foundation
import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents
import LedgerStore
import NIOCore
import Testing

@testable import LedgerService

/// Requests for pages, as a browser sends them.
extension ServiceBench {
  /// Signs in with a token. Returns the cookie.
  func signIn(_ token: String) async throws -> String {
    let reply = try await form("/sign-in", [("token", token)])
    #expect(reply.status == 303, "\(reply.body)")
    let cookie = try #require(reply.header("Set-Cookie"))
    return String(cookie.prefix { $0 != ";" })
  }

  func page(_ address: String, cookie: String? = nil) async throws -> Reply {
    try await get(address, headers: cookie.map { ["Cookie": $0] } ?? [:])
  }

  /// Sends a form from a page of the service itself.
  func form(
    _ path: String, _ fields: [(String, String)], cookie: String? = nil,
    headers more: [String: String] = ["Sec-Fetch-Site": "same-origin"]
  ) async throws -> Reply {
    var headers = more
    headers["Content-Type"] = more["Content-Type"] ?? "application/x-www-form-urlencoded"
    headers["Cookie"] = cookie
    let body = fields.map { "\(PageAddress.encoded($0.0))=\(PageAddress.encoded($0.1))" }
    return try await Reply(
      try await response(
        .post, path, headers: headers, body: ByteBuffer(string: body.joined(separator: "&"))))
  }

  /// What the forms of a session state.
  func formToken(cookie: String? = nil, at address: String = "/acts/note") async throws -> String {
    let reply = try await page(address, cookie: cookie)
    return try #require(reply.hidden("form"), "\(reply.body)")
  }

  /// Appends the incidents of the samples and texts that a page must not believe.
  func appendSamples() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Tools/samples")
    let names = [
      "yesterdays-notification", "map-finished-at-once", "coins-at-each-callback",
      "support-gives-a-month", "a-subscription-with-downloads",
    ]
    let decoder = EventDecoder()
    for name in names {
      let file = folder.appending(path: "incidents/\(name).jsonl")
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      let inputs = try lines.enumerated().map { number, line in
        try decoder.decode(line: Array(line.utf8), number: number + 1)
      }
      try ledger.appendAndWait(inputs, options: AppendOptions())
    }
    try ledger.appendAndWait(
      Hostile.events.map { EventInput(event: $0) }, options: AppendOptions())
  }
}

extension Reply {
  /// The value of a hidden field.
  func hidden(_ name: String) -> String? {
    let start = "<input type=\"hidden\" name=\"\(name)\" value=\""
    guard let range = body.range(of: start) else { return nil }
    return String(body[range.upperBound...].prefix { $0 != "\"" })
  }
}

/// Texts that want to be more than texts.
enum Hostile {
  static let texts = [
    "<script>document.title='taken'</script>", "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)", "</title></textarea><svg/onload=alert(1)>", "{{title}}",
    "a&amp;lt;b", "\u{202E}gnp.exe", "zero\u{200B}width", "javascript:alert(1)", "../../etc",
    "new\nline\r\tand\u{0}nul", "%3Cscript%3E", "привет 顾客 🧭", String(repeating: "W", count: 500),
  ]

  /// For each text a purchase in which every name is that text, and a note of ten kilobytes.
  static var events: [Event] {
    var events: [Event] = []
    for (index, text) in texts.enumerated() {
      var data = EventData.Builder()
      data.set("appVersion", text)
      let time = Instant(microseconds: 1_770_000_000_000_000 + Int64(index) * Instant.second)
      events.append(
        Event(
          id: Name("session-\(index)"), type: EventType(.sessionStarted), occurredAt: time,
          account: Name(text), device: Name(text), session: Name(text), data: data.build()))
      var event = Event(
        id: Name("hostile-\(index)"), type: EventType(.transactionPurchased), occurredAt: time,
        account: Name(text), device: Name(text), session: Name(text), product: Name(text),
        transaction: Name(text))
      event.app = Name(text)
      events.append(event)
      var finished = event
      finished.id = Name("finished-\(index)")
      finished.type = EventType(.transactionFinished)
      events.append(finished)
      events.append(
        Event.act(
          .noteAdded, id: Name("note-\(index)"), account: Name(text), environment: nil,
          by: text, because: nil, at: time
        ).adding("text", String(repeating: text, count: 10_240 / max(1, text.utf8.count))))
      events.append(
        Event.act(
          .entitlementGranted, id: Name("grant-\(index)"), account: Name(text), environment: nil,
          by: text, because: text, at: time
        ).adding("entitlement", text))
    }
    return events
  }
}
