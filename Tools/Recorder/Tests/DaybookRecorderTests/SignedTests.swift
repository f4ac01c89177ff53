import Foundation
import Testing

@testable import DaybookRecorder

/// What the store signed, from the device through the ledger to its verification. The transaction
/// in `Tests/Signed` is signed under a root that was made for this test.
@Suite("A signed transaction") struct SignedTests {
  private func sample() throws -> (jws: String, root: String) {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Signed/transaction.jsonl")
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: String]
    return (try #require(json?["jws"]), try #require(json?["root"]))
  }

  @Test(
    "is verified later from what the recorder kept, and refused if a letter of it changed",
    .enabled(if: SimulatorTests.program != nil, "DAYBOOK_PROGRAM names no program"))
  func verified() throws {
    let program = Program(try #require(SimulatorTests.program))
    let (jws, root) = try sample()
    let folder = try TemporaryFolder()
    let ledger = folder.path + "/test.ledger"
    func write(_ text: String, _ name: String) throws -> String {
      try Data((text + "\n").utf8).write(to: folder.url.appendingPathComponent(name))
      return folder.path + "/" + name
    }
    var signed = SignedTransaction(
      transaction: "2000000401", original: "2000000401", product: "com.example.trails.plus")
    signed.account = "7d1c0cbe-1f7b-4f0e-9d53-0c4fb2a1a6d1"
    signed.environment = .production
    signed.jws = jws
    let test = try TestRecorder()
    try test.recorder.record(storeKit2: .updated(signed))
    let events = try write(try test.recorder.spool.allLines().joined(), "events.jsonl")
    #expect(try program.run(["init", ledger]).status == 0)
    #expect(try program.run(["append", "--strict", "--ledger", ledger, events]).status == 0)
    // As `docs/recording.md` does it with jq.
    let stored = try program.run(["events", "--ledger", ledger]).text
    let event = try JSONSerialization.jsonObject(with: Data(stored.utf8)) as? [String: Any]
    let kept = (event?["data"] as? [String: Any])?["signedTransactionInfo"] as? String
    #expect(kept == jws)
    let genuine = try write(#"{"signedTransactionInfo":"\#(kept ?? "")"}"#, "signed.jsonl")
    let forged = try write(
      #"{"signedTransactionInfo":"\#(jws.dropLast(40))AAAA\#(jws.suffix(36))"}"#, "forged.jsonl")
    let believe = [
      "--app", "com.example.trails", "--root", try write(root, "root.pem"), "--ledger", ledger,
    ]
    #expect(try program.run(["import", "transaction", forged] + believe).status == 65)
    #expect(try program.run(["import", "transaction", genuine] + believe).status == 0)
    // It is one purchase, as recorded and as verified.
    let transactions = try program.run(
      ["transactions", signed.account ?? "", "--ledger", ledger, "--format", "jsonl"])
    #expect(transactions.text.split(separator: "\n").count == 1, "\(transactions.text)")
  }
}
