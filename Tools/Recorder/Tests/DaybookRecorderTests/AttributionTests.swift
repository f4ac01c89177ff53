import Foundation
import Testing

@testable import DaybookRecorder

/// Which payment a transaction answers, and what is recorded of a subscription.
@Suite("What belongs together") struct AttributionTests {
  private func fields(_ recorder: Recorder, _ name: String) throws -> [String?] {
    try recorder.spool.allLines().map { line in
      (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?[name] as? String
    }
  }

  private func transaction(
    _ object: UInt, _ state: QueueTransaction.State, _ id: String? = nil, original: String? = nil
  ) -> QueueTransaction {
    QueueTransaction(
      object: object, state: state, payment: QueuePayment(product: "p"), transaction: id,
      original: original)
  }

  @Test("gives no renewal the payment of a tap that was never answered") func renewal() throws {
    let disk = MemoryDisk()
    do {
      let recorder = try TestRecorder(disk).recorder
      try recorder.record(storeKit1: .paymentAdded(QueuePayment(product: "p")))
    }
    let recorder = try TestRecorder(disk, session: "launch-2").recorder
    try recorder.record(storeKit1: .updated(transaction(1, .purchased, "T2", original: "T1")))
    // A first purchase is its own original.
    try recorder.record(storeKit1: .updated(transaction(2, .purchased, "T3", original: "T3")))
    let tap = "launch-1-tap-1"
    #expect(try fields(recorder, "payment") == [tap, nil, tap])
  }

  @Test("knows by its object that somebody tapped for a subscription again") func again() throws {
    let recorder = try TestRecorder().recorder
    try recorder.record(storeKit1: .paymentAdded(QueuePayment(product: "p")))
    try recorder.record(storeKit1: .updated(transaction(1, .purchasing)))
    try recorder.record(storeKit1: .updated(transaction(1, .purchased, "T2", original: "T1")))
    #expect(Set(try fields(recorder, "payment")) == ["launch-1-tap-1"])
  }

  @Test("finds the payment of a purchase that was interrupted and made in the store after all")
  func interrupted() throws {
    let disk = MemoryDisk()
    do {
      let recorder = try TestRecorder(disk).recorder
      for object: UInt in [1, 2] {
        try recorder.record(storeKit1: .paymentAdded(QueuePayment(product: "p")))
        try recorder.record(storeKit1: .updated(transaction(object, .purchasing)))
        try recorder.record(storeKit1: .updated(transaction(object, .failed)))
        try recorder.record(storeKit1: .finish(transaction(object, .failed)))
        try recorder.record(storeKit1: .removed(transaction(object, .failed)))
      }
      // The last attempt, and a renewal is none of them.
      try recorder.record(storeKit1: .updated(transaction(3, .purchased, "T", original: "S")))
      try recorder.record(storeKit1: .updated(transaction(4, .purchased, "T1")))
      // An open one before any that was closed.
      try recorder.record(storeKit1: .paymentAdded(QueuePayment(product: "p")))
      try recorder.record(storeKit1: .updated(transaction(5, .purchased, "T2")))
      #expect(
        try fields(recorder, "payment").suffix(4)
          == [nil, "launch-1-tap-2", "launch-1-tap-3", "launch-1-tap-3"])
    }
    // The first attempt is closed, and of another launch.
    let recorder = try TestRecorder(disk, session: "launch-2").recorder
    try recorder.record(storeKit1: .updated(transaction(6, .purchased, "T3")))
    #expect(try fields(recorder, "payment").last == .some(nil))
  }

  private func status(
    _ state: SubscriptionStatus.State, seconds: Int64, renewsAs: String? = nil
  ) -> PurchaseCall {
    .statusUpdated(
      EveryCall.status(state) {
        let time = EveryCall.time.microseconds + seconds * 1_000_000
        $0.signedAt = Timestamp(microseconds: time)
        $0.renewsAs = renewsAs
      })
  }

  @Test("records no change from a status that the store signed before the last") func older() throws
  {
    let disk = MemoryDisk()
    for session in ["launch-1", "launch-2"] {
      let recorder = try TestRecorder(disk, session: session).recorder
      for call in [
        status(.inGracePeriod, seconds: 0), status(.subscribed, seconds: 100),
        status(.inGracePeriod, seconds: 0), status(.subscribed, seconds: 100),
      ] { try recorder.record(storeKit2: call) }
      #expect(
        try fields(recorder, "type")
          == ["subscription.gracePeriodEntered", "subscription.billingRecovered"])
    }
  }

  @Test("takes a status that names no plan for no change of it") func plan() throws {
    let recorder = try TestRecorder().recorder
    let monthly = "com.example.trails.plus.monthly"
    for (seconds, plan) in [monthly, nil, monthly, "com.example.trails.plus"].enumerated() {
      try recorder.record(
        storeKit2: status(.subscribed, seconds: Int64(seconds), renewsAs: plan))
    }
    #expect(
      try fields(recorder, "type")
        == ["subscription.planChanged", "subscription.planChanged"])
  }

  // MARK: - What a ledger would refuse

  @Test("refuses names that are too long for a ledger, of each event and of the settings")
  func names() throws {
    let long = String(repeating: "ä", count: 257)
    let recorder = try TestRecorder().recorder
    #expect(
      throws: RecorderError.incomplete(
        type: "payment.added", missing: ["product of at most 512 bytes"])
    ) { try recorder.record(storeKit1: .paymentAdded(QueuePayment(product: long))) }
    recorder.account = long
    #expect(
      throws: RecorderError.incomplete(
        type: "restore.requested", missing: ["account of at most 512 bytes"])
    ) { try recorder.record(storeKit1: .restore) }
    recorder.account = String(repeating: "ä", count: 256)
    try recorder.record(storeKit1: .restore)
    let other = try TestRecorder { $0.device = long }.recorder
    #expect(
      throws: RecorderError.incomplete(
        type: "restore.requested", missing: ["device of at most 512 bytes"])
    ) { try other.record(storeKit1: .restore) }
  }

  @Test("leaves out what is empty or no amount, and bounds times and texts of errors")
  func values() throws {
    let recorder = try TestRecorder().recorder
    var bought = transaction(1, .purchased, "T")
    bought.downloads = [HostedContent(identifier: "", version: "1")]
    bought.date = Timestamp(microseconds: -62_200_000_000_000_000)
    let products = ["NaN", "1E+2", "1.", ".5", "", "-", "7.99", "-1", "3"].map {
      OfferedProduct(product: "p", price: $0, currency: "EUR")
    }
    try recorder.record(storeKit1: .productsRequested(["", "p"]))
    try recorder.record(
      storeKit1: .productsReceived(products + [OfferedProduct(product: "")], invalid: [""]))
    try recorder.record(storeKit1: .updated(bought))
    let error = StoreError(
      domain: String(repeating: "d", count: 9_000), code: 1,
      message: String(repeating: "€", count: 9_000))
    try recorder.record(storeKit1: .restoreFailed(error))
    let lines = try recorder.spool.allLines()
    #expect(lines[0].hasSuffix(#""data":{"requested":["p"]}}"#))
    let prices = lines[1].components(separatedBy: #""price":""#).dropFirst().map {
      $0.prefix { $0 != "\"" }
    }
    #expect(prices == ["7.99", "-1", "3"])
    #expect(lines[1].hasSuffix(#""invalid":[]}}"#))
    #expect(lines[2].hasSuffix(#""data":{"quantity":1,"purchasedAt":"1970-01-01T00:00:00Z"}}"#))
    #expect(lines[3].contains(#""message":"\#(String(repeating: "€", count: 333))"}"#))
    #expect(lines[3].utf8.count < 2_500)
    #expect(Timestamp(microseconds: .max).rfc3339 == "9999-12-31T23:59:59.999999Z")
    guard let path = SimulatorTests.program else { return }
    let folder = try TemporaryFolder()
    let file = folder.path + "/events.jsonl"
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: file))
    let ledger = folder.path + "/test.ledger"
    #expect(try Program(path).run(["init", ledger]).status == 0)
    let answer = try Program(path).run(["append", "--strict", "--ledger", ledger, file])
    #expect(answer.status == 0, "\(answer.text)")
  }
}
