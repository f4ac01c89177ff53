import Foundation
import Testing

@testable import DaybookRecorder

@Suite("The recorder") struct MappingTests {
  private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Calls/calls.jsonl")

  private func everyLine() throws -> [String] {
    let test = try TestRecorder()
    try EveryCall.record(with: test.recorder)
    return try test.recorder.spool.allLines()
  }

  @Test("writes for each callback and call what Tests/Calls holds") func everyCall() throws {
    let written = try everyLine().joined(separator: "\n") + "\n"
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(written.utf8).write(to: Self.golden)
    }
    #expect(try String(contentsOf: Self.golden, encoding: .utf8) == written)
  }

  @Test("writes each type of event that it knows in one of these calls") func everyType() throws {
    let types = try everyLine().compactMap { line in
      (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["type"]
        as? String
    }
    #expect(Set(types) == Set(EventKind.allCases.map(\.rawValue)))
  }

  @Test(
    "writes what a ledger takes without a warning",
    .enabled(if: SimulatorTests.program != nil, "DAYBOOK_PROGRAM names no program"))
  func ledger() throws {
    let program = Program(try #require(SimulatorTests.program))
    let folder = try TemporaryFolder()
    let ledger = folder.path + "/test.ledger"
    let file = folder.path + "/events.jsonl"
    let lines = try everyLine()
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: file))
    #expect(try program.run(["init", ledger]).status == 0)
    let dry = try program.run(["append", "--dry-run", "--strict", "--ledger", ledger, file])
    #expect(dry.status == 0, "\(dry.text)")
    let answer = try program.run(
      ["append", "--strict", "--format", "json", "--ledger", ledger, file])
    #expect(answer.status == 0, "\(answer.text)")
    let json = try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any]
    #expect(json?["appended"] as? Int == lines.count)
    #expect((json?["warnings"] as? [Any])?.isEmpty == true)
    // What the store signed comes out of the ledger as it went in.
    let events = try program.run(["events", "--ledger", ledger])
    #expect(events.text.contains(#""signedTransactionInfo":"header.payload.signature""#))
  }

  private func fields(_ recorder: Recorder, _ name: String) throws -> [String?] {
    try recorder.spool.allLines().map { line in
      (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?[name] as? String
    }
  }

  @Test("finds a payment's name again in later launches") func names() throws {
    let disk = MemoryDisk()
    let payment = QueuePayment(product: "p", quantity: 2, account: "hiker-1")
    func transaction(_ object: UInt, _ state: QueueTransaction.State, _ id: String? = nil)
      -> QueueTransaction
    {
      QueueTransaction(object: object, state: state, payment: payment, transaction: id)
    }
    do {
      let test = try TestRecorder(disk)
      try test.recorder.record(storeKit1: .paymentAdded(payment))
      try test.recorder.record(storeKit1: .updated(transaction(7, .deferred)))
    }
    do {
      let test = try TestRecorder(disk, session: "launch-2")
      try test.recorder.record(storeKit1: .updated(transaction(3, .purchased, "T1")))
    }
    let test = try TestRecorder(disk, session: "launch-3")
    // Another object with the same identifier is the same payment; another purchase is none of it.
    try test.recorder.record(storeKit1: .updated(transaction(9, .purchased, "T1")))
    try test.recorder.record(storeKit1: .updated(transaction(8, .purchased, "T2")))
    let first = "launch-1-tap-1"
    #expect(try fields(test.recorder, "payment") == [first, first, first, first, nil])
    // If the file of names is lost, only the names are.
    let file = try disk.open("/spool/memory.json")
    try file.write([UInt8](#"{"pay"#.utf8), at: 0)
  }

  @Test("gives two payments for one product their names in their order, and a restore none")
  func order() throws {
    let disk = MemoryDisk()
    let payment = QueuePayment(product: "p", account: "hiker-1")
    func reported(_ object: UInt, _ state: QueueTransaction.State) -> QueueCall {
      .updated(
        QueueTransaction(
          object: object, state: state, payment: payment,
          transaction: state.isDelivered ? "T\(object)" : nil))
    }
    do {
      // This payment is never answered, and stands behind those of the next launch.
      let test = try TestRecorder(disk, session: "launch-0")
      try test.recorder.record(storeKit1: .paymentAdded(payment))
    }
    let test = try TestRecorder(disk)
    try test.recorder.record(storeKit1: .paymentAdded(payment))
    try test.recorder.record(storeKit1: .paymentAdded(payment))
    for call in [reported(1, .restored), reported(2, .purchasing), reported(3, .purchasing)] {
      try test.recorder.record(storeKit1: call)
    }
    for call in [reported(3, .purchased), reported(2, .purchased), reported(4, .purchased)] {
      try test.recorder.record(storeKit1: call)
    }
    let (first, second) = ("launch-1-tap-1", "launch-1-tap-2")
    #expect(
      try fields(test.recorder, "payment") == [
        "launch-0-tap-1", first, second, nil, first, second, second, first, "launch-0-tap-1",
      ])
  }

  @Test(
    "takes the next attempt after a payment that failed for another payment",
    arguments: [
      QueueTransaction.State.purchasing, .deferred, .purchased, .failed,
    ])
  func nextAttempt(state: QueueTransaction.State) throws {
    let recorder = try TestRecorder().recorder
    func transaction(_ object: UInt, _ state: QueueTransaction.State) -> QueueTransaction {
      QueueTransaction(
        object: object, state: state, payment: QueuePayment(product: "p"),
        transaction: state.isDelivered ? "T\(object)" : nil)
    }
    // Neither was added by the recorder, as a payment from the store's page is not.
    for state in [QueueTransaction.State.purchasing, .failed] {
      try recorder.record(storeKit1: .updated(transaction(1, state)))
    }
    try recorder.record(storeKit1: .finish(transaction(1, .failed)))
    try recorder.record(storeKit1: .removed(transaction(1, .failed)))
    try recorder.record(storeKit1: .updated(transaction(2, state)))
    try recorder.record(storeKit1: .updated(transaction(2, .purchased)))
    let first = "launch-1-tap-1"
    let second =
      switch state {
      case .purchased: first  // bought after all, in the store
      case .failed: first  // the queue has lost the finish
      default: "launch-1-tap-2"
      }
    #expect(
      try fields(recorder, "payment") == [first, first, first, first, second, second])
  }

  @Test("records without names if their file is damaged or cannot be written") func damagedNames()
    throws
  {
    let disk = MemoryDisk()
    try disk.open("/spool/memory.json").write([UInt8]("{\"payments\":[".utf8), at: 0)
    let test = try TestRecorder(disk)
    try test.recorder.record(storeKit1: .paymentAdded(EveryCall.payment))
    #expect(test.recorder.spool.count == 1)
    let calls = disk.state.withLock { $0.calls }
    disk.state.withLock { $0.failing = calls + 1 }
    try test.recorder.record(storeKit1: .paymentAdded(EveryCall.payment))
    #expect(test.recorder.spool.count == 2)
  }

  @Test("gives a transaction that names nobody to nobody, unless it is told to") func accounts()
    throws
  {
    let nameless = QueueTransaction(
      object: 1, state: .purchased, payment: QueuePayment(product: "p"), transaction: "T")
    for assigns in [false, true] {
      let test = try TestRecorder { $0.assignsToSignedIn = assigns }
      try test.recorder.record(storeKit1: .updated(nameless))
      test.recorder.account = "hiker-2"
      try test.recorder.record(storeKit1: .restore)
      try test.recorder.record(storeKit1: .updated(EveryCall.transaction(.purchased)))
      #expect(
        try fields(test.recorder, "account")
          == [assigns ? "hiker-1" : nil, "hiker-2", "hiker-1"])
    }
  }

  @Test("writes what it could not write before it writes anything else") func missed() throws {
    var limits = SpoolLimits()
    limits.bytesMax = 600
    let test = try TestRecorder(limits: limits)
    let recorder = test.recorder
    try recorder.record(storeKit1: .restore)
    try recorder.record(storeKit1: .restoreFinished)
    let bought = EveryCall.transaction(.purchased)
    // The spool is full. The purchase has happened; the finish has not, and must not now.
    #expect(throws: RecorderError.self) { try recorder.record(storeKit1: .updated(bought)) }
    #expect(throws: RecorderError.self) { try recorder.record(storeKit1: .finish(bought)) }
    #expect(throws: RecorderError.self) {
      try recorder.record(storeKit1: .updatedDownload(EveryCall.download(.active)))
    }
    #expect(recorder.spool.count == 2)
    let spool = recorder.spool
    try spool.forget(Set(try spool.oldest(linesMax: 2, bytesMax: .max).map(\.serial)))
    // The purchase finds room then, and the finish does not.
    #expect(throws: RecorderError.self) { try recorder.record(storeKit1: .finish(bought)) }
    #expect(try fields(recorder, "type") == ["transaction.purchased"])
    var larger = limits
    larger.bytesMax = 2_000
    let roomy = try TestRecorder(limits: larger)
    roomy.disk.state.withLock { state in
      state.failing = state.calls + 1
      state.staysFull = true
    }
    #expect(throws: RecorderError.self) { try roomy.recorder.record(storeKit1: .updated(bought)) }
    #expect(throws: RecorderError.self) { try roomy.recorder.record(storeKit1: .finish(bought)) }
    roomy.disk.state.withLock { $0.failing = 0 }
    try roomy.recorder.record(storeKit1: .finish(bought))
    #expect(
      try fields(roomy.recorder, "type") == ["transaction.purchased", "transaction.finished"])
    let lines = try roomy.recorder.spool.allLines()
    // The number of the first attempt to finish, which may be on the disk, is not given again.
    for (line, number) in zip(lines, [0, 2]) {
      #expect(line.contains(#""sequence":\#(number),"#))
    }
  }

  @Test("records a change of a subscription once") func subscriptions() throws {
    let disk = MemoryDisk()
    for session in ["launch-1", "launch-2"] {
      let test = try TestRecorder(disk, session: session)
      for _ in 1...2 {
        try test.recorder.record(
          storeKit2: .statusUpdated(EveryCall.status(.expired, renews: false)))
      }
      #expect(
        try fields(test.recorder, "type")
          == ["subscription.expired", "subscription.autoRenewChanged"])
    }
  }

  @Test("names its events by UUIDs of version 7") func identifiers() {
    // The example of RFC 9562, A.6.
    let time = Timestamp(microseconds: 1_645_557_742_000_000)
    #expect(
      UUIDv7.make(at: time, random: (0x0CC3, 0x18C4_DC0C_0C07_398F))
        == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
    let sources = RecorderSources()
    let made = (0..<1_000).map { _ in sources.makeID(time) }
    #expect(Set(made).count == 1_000)
    #expect(made.allSatisfy { UUID(uuidString: $0) != nil && $0.hasPrefix("017f22e2-79b0-7") })
  }

  @Test(
    "writes times in UTC with the digits that they need",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (951_782_400_000_000, "2000-02-29T00:00:00Z"),
      (1_772_359_200_250_000, "2026-03-01T10:00:00.25Z"),
      (4_107_542_399_999_999, "2100-02-28T23:59:59.999999Z"),
      (253_402_300_799_000_001, "9999-12-31T23:59:59.000001Z"),
    ] as [(Int64, String)])
  func times(microseconds: Int64, text: String) {
    #expect(Timestamp(microseconds: microseconds).rfc3339 == text)
  }

  @Test("keeps an error's text only if it is the store's or the network's") func errors() {
    let file = NSError(
      domain: NSCocoaErrorDomain, code: 640,
      userInfo: [
        NSLocalizedDescriptionKey: "“Anna's map” has no room",
        NSUnderlyingErrorKey: NSError(
          domain: "NSURLErrorDomain", code: -1_005,
          userInfo: [NSLocalizedDescriptionKey: "The connection was lost."]),
      ])
    let error = StoreError(file)
    #expect(error.message == nil)
    #expect(error.code == 640)
    #expect(error.underlying.map(\.message) == ["The connection was lost."])
    #expect(!error.isCancellation)
    #expect(StoreError(domain: "SKErrorDomain", code: 2).isCancellation)
  }

  @Test("names the cases of StoreKit 2's errors, and keeps what they carry") func cases() {
    enum StoreKitError: Error {
      case notEntitled
      case networkError(URLError)
    }
    let network = StoreError(
      case: StoreKitError.networkError(URLError(.timedOut)), domain: "StoreKit.StoreKitError")
    #expect(network.domain == "StoreKit.StoreKitError")
    #expect(network.message == "networkError")
    #expect(network.underlying.map(\.domain) == ["NSURLErrorDomain"])
    #expect(network.underlying.map(\.code) == [-1_001])
    let plain = StoreError(case: StoreKitError.notEntitled, domain: "StoreKit.StoreKitError")
    #expect(plain.message == "notEntitled" && plain.underlying.isEmpty)
  }

  @Test("escapes what JSON asks for") func json() throws {
    var bytes: [UInt8] = []
    JSON.string("a\"\\\n\u{1}\u{1F}é\u{2028}").append(to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == #""a\"\\\u000a\u0001\u001fé"# + "\u{2028}\"")
    #expect(JSON.progress(.nan) == nil)
    #expect(JSON.progress(-0.5) == .number("0"))
    #expect(JSON.seconds(.infinity) == nil)
  }
}
