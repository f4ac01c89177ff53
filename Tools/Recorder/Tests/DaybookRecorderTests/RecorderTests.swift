import Foundation
import Testing

@testable import DaybookRecorder

/// What the recorder keeps, and what it refuses, when something goes wrong.
@Suite("The recorder in trouble") struct RecorderTests {
  private func fields(_ spool: Spool, _ name: String) throws -> [String?] {
    try spool.allLines().map { line in
      (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?[name] as? String
    }
  }

  private func sequences(_ spool: Spool) throws -> [Int?] {
    try spool.allLines().map { line in
      (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["sequence"]
        as? Int
    }
  }

  @Test("never loses a change of a subscription, at whatever call the power is cut")
  func subscriptionCut() throws {
    let expired = PurchaseCall.statusUpdated(EveryCall.status(.expired))
    var call = 1
    var isDone = false
    while !isDone {
      let disk = MemoryDisk()
      do {
        let test = try TestRecorder(disk)
        disk.state.withLock { state in
          state.failing = state.calls + call
          state.staysFull = true
        }
        do throws(RecorderError) {
          try test.recorder.record(storeKit2: expired)
          isDone = disk.state.withLock { $0.calls < $0.failing }
        } catch {
          guard case .spool = error else { throw error }
        }
        disk.state.withLock { $0.failing = 0 }
        disk.cutPower()
      }
      let test = try TestRecorder(disk, session: "launch-2")
      try test.recorder.record(storeKit2: expired)
      let types = try fields(test.recorder.spool, "type")
      #expect((1...2).contains(types.count), "call \(call)")
      #expect(types.allSatisfy { $0 == "subscription.expired" })
      if isDone { #expect(types.count == 1) }
      call += 1
    }
    #expect(call > 5)
  }

  @Test("tells a change of a subscription that was refused again in the next launch")
  func subscriptionRefused() throws {
    let disk = MemoryDisk()
    let expired = PurchaseCall.statusUpdated(EveryCall.status(.expired))
    do {
      var limits = SpoolLimits()
      limits.bytesMax = 100
      let test = try TestRecorder(disk, limits: limits)
      #expect(throws: RecorderError.self) { try test.recorder.record(storeKit2: expired) }
    }
    let test = try TestRecorder(disk, session: "launch-2")
    try test.recorder.record(storeKit2: expired)
    #expect(try fields(test.recorder.spool, "type") == ["subscription.expired"])
  }

  @Test(
    "names a payment that was added elsewhere, so that a ledger takes every state of it",
    arguments: [
      QueueTransaction.State.purchasing, .deferred, .failed, .purchased, .restored,
    ])
  func adopted(state: QueueTransaction.State) throws {
    let disk = MemoryDisk()
    do {
      let test = try TestRecorder(disk)
      let transaction = EveryCall.transaction(state)
      try test.recorder.record(storeKit1: .updated(transaction))
      try test.recorder.record(storeKit1: .finish(transaction))
      try test.recorder.record(storeKit1: .removed(transaction))
      let payments = try fields(test.recorder.spool, "payment")
      #expect(Set(payments) == [state.isDelivered ? nil : "launch-1-tap-1"])
    }
    let test = try TestRecorder(disk, session: "launch-2")
    // Calls about a transaction of which nothing was reported before.
    for kind in [QueueCall.finish, QueueCall.removed, QueueCall.updated] {
      var other = EveryCall.transaction(state)
      other.payment.product = "com.example.trails.coast"
      try test.recorder.record(storeKit1: kind(other))
    }
    let lines = try test.recorder.spool.allLines()
    // The finish of what was never reported is preceded by its report.
    #expect(lines.count == (state == .purchasing || state == .deferred ? 6 : 7))
    guard let program = SimulatorTests.program else { return }
    let folder = try TemporaryFolder()
    let file = folder.path + "/events.jsonl"
    let ledger = folder.path + "/test.ledger"
    // The test's ids are of the time alone, and both launches have the same.
    let text = lines.enumerated().map { number, line in
      line.replacingOccurrences(of: #"{"id":""#, with: #"{"id":"\#(number)-"#)
    }
    try Data((text.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: file))
    #expect(try Program(program).run(["init", ledger]).status == 0)
    let answer = try Program(program).run(["append", "--strict", "--ledger", ledger, file])
    #expect(answer.status == 0, "\(answer.text)")
  }

  @Test("keeps the name of an adopted payment until its purchase in a later launch")
  func adoptedLater() throws {
    let disk = MemoryDisk()
    let payment = QueuePayment(product: "p")
    do {
      let test = try TestRecorder(disk)
      try test.recorder.record(
        storeKit1: .updated(QueueTransaction(object: 1, state: .deferred, payment: payment)))
    }
    let test = try TestRecorder(disk, session: "launch-2")
    try test.recorder.record(
      storeKit1: .updated(
        QueueTransaction(object: 9, state: .purchased, payment: payment, transaction: "T")))
    #expect(
      try fields(test.recorder.spool, "payment") == ["launch-1-tap-1", "launch-1-tap-1"])
  }

  @Test("does not take the address of a transaction for the transaction") func addresses() throws {
    let test = try TestRecorder()
    func report(_ object: UInt, _ product: String, _ id: String?) throws {
      try test.recorder.record(
        storeKit1: .updated(
          QueueTransaction(
            object: object, state: id == nil ? .purchasing : .purchased,
            payment: QueuePayment(product: product), transaction: id)))
    }
    try test.recorder.record(storeKit1: .paymentAdded(QueuePayment(product: "p")))
    try test.recorder.record(storeKit1: .paymentAdded(QueuePayment(product: "p")))
    try report(1, "p", "T1")
    try report(2, "p", "T2")
    // The queue freed both without saying so, and made others at their addresses.
    try report(2, "p", "T1")
    try report(1, "p", "T3")
    try report(1, "q", nil)
    let (first, second, third) = ("launch-1-tap-1", "launch-1-tap-2", "launch-1-tap-3")
    #expect(
      try fields(test.recorder.spool, "payment")
        == [first, second, first, second, first, nil, third])
  }

  @Test("refuses what a ledger would refuse for ever, and says what it lacks") func incomplete()
    throws
  {
    let test = try TestRecorder()
    let nobody = test.recorder
    nobody.account = nil
    let nothing = Purchase()
    let install = Install(Purchase(product: "p"))
    let calls: [(AppCall, String, [String])] = [
      (.consumed(unit: "routes", amount: 1), "consumable.consumed", ["account"]),
      (
        .consumed(unit: "", amount: 0, account: "a"), "consumable.consumed",
        ["data.unit", "data.amount"]
      ),
      (.fulfilled(Purchase(product: "p")), "purchase.fulfilled", ["transaction"]),
      (.fulfilled(Purchase(transaction: "")), "purchase.fulfilled", ["transaction"]),
      (.fulfillmentFailed(nothing, nil), "purchase.fulfillmentFailed", ["transaction"]),
      (.installed(install, version: ""), "content.installed", ["data.contentVersion"]),
      (.installed(Install(nothing), version: "1"), "content.installed", ["product"]),
      (.contentRemoved(Install(nothing)), "content.removed", ["product"]),
    ]
    for (call, type, missing) in calls {
      #expect(throws: RecorderError.incomplete(type: type, missing: missing)) {
        try nobody.record(app: call)
      }
    }
    let purchased = QueueTransaction(
      object: 1, state: .purchased, payment: QueuePayment(product: "p"))
    #expect(
      throws: RecorderError.incomplete(type: "transaction.purchased", missing: ["transaction"])
    ) { try nobody.record(storeKit1: .updated(purchased)) }
    #expect(nobody.spool.count == 0)
    // The numbers have no gap: nothing happened.
    try nobody.record(app: .backgrounded)
    #expect(try sequences(nobody.spool) == [0])
  }

  @Test("writes one customer's token in one way, whoever says it") func tokens() throws {
    let upper = "7D1C0CBE-1F7B-4F0E-9D53-0C4FB2A1A6D1"
    let payment = QueuePayment(product: "p", account: upper)
    var settings = RecorderSettings(app: "com.example.trails", device: "phone-1")
    settings.session = "launch-1"
    let spool = try Spool(folder: "/spool", files: MemoryDisk())
    let recorder = Recorder(settings, spool: spool, account: upper)
    try recorder.record(app: .backgrounded)
    recorder.account = upper
    #expect(recorder.account == upper.lowercased())
    try recorder.record(app: .foregrounded)
    try recorder.record(storeKit1: .paymentAdded(payment))
    // The queue gives back what it was given, or what the store made of it.
    var transaction = QueueTransaction(object: 1, state: .deferred, payment: payment)
    transaction.payment.account = upper.lowercased()
    try recorder.record(storeKit1: .updated(transaction))
    try recorder.record(storeKit2: .updated(EveryCall.signed { $0.account = upper }))
    try recorder.record(app: .fulfilled(Purchase(transaction: "T", account: upper)))
    try recorder.record(app: .consumed(unit: "routes", amount: 1, account: upper))
    #expect(Set(try fields(spool, "account")) == [upper.lowercased()])
    #expect(Set(try fields(spool, "payment").compactMap { $0 }).count == 1)
    // What is no UUID is the app's own, to the letter.
    recorder.account = "Hiker-1"
    #expect(recorder.account == "Hiker-1")
  }

  @Test("writes what one callback brings at once, and what it remembers once") func together()
    throws
  {
    let restored = (0..<500).map { number in
      QueueCall.updated(
        QueueTransaction(
          object: UInt(number), state: .restored, payment: QueuePayment(product: "p"),
          transaction: "T\(number)", original: "O\(number)"))
    }
    let test = try TestRecorder()
    try test.recorder.record(storeKit1: .paymentAdded(QueuePayment(product: "q")))
    let before = test.disk.state.withLock { $0.calls }
    try test.recorder.record(storeKit1: restored)
    #expect(test.recorder.spool.count == 501)
    // One write and one sync.
    #expect(test.disk.state.withLock { $0.calls } == before + 2)
    #expect(try sequences(test.recorder.spool) == Array(0...500))
    let progress = QueueCall.updatedDownload(EveryCall.download(.active))
    try test.recorder.record(storeKit1: progress)
    try test.recorder.record(storeKit1: progress)
    let calls = test.disk.state.withLock { $0.calls }
    try test.recorder.record(storeKit1: progress)
    // One write, and no sync for what says little.
    #expect(test.disk.state.withLock { $0.calls } == calls + 1)
    test.disk.cutPower()
    try test.recorder.record(storeKit1: .restoreFinished)
  }

  @Test("knows whether a transaction that leaves the queue was finished through it")
  func finishedElsewhere() throws {
    let recorder = try TestRecorder().recorder
    let (one, other) = (EveryCall.transaction(.purchased), EveryCall.transaction(.restored))
    for transaction in [one, other] { try recorder.record(storeKit1: .updated(transaction)) }
    try recorder.record(storeKit1: .finish(one))
    #expect(recorder.sawFinish(of: one))
    #expect(!recorder.sawFinish(of: other))
    // Another transaction can have the object's address after the removal.
    try recorder.record(storeKit1: [.removed(one), .removed(other)])
    #expect(!recorder.sawFinish(of: one))
  }

  @Test("does not replace what it remembers if the disk does not read it now") func unread() throws
  {
    let disk = MemoryDisk()
    let payment = QueuePayment(product: "p")
    do {
      try TestRecorder(disk).recorder.record(storeKit1: .paymentAdded(payment))
    }
    do {
      disk.state.withLock { $0.broken = [("pread", "memory.json")] }
      let test = try TestRecorder(disk, session: "launch-2")
      disk.state.withLock { $0.broken = [] }
      try test.recorder.record(storeKit1: .paymentAdded(QueuePayment(product: "q")))
    }
    let test = try TestRecorder(disk, session: "launch-3")
    try test.recorder.record(
      storeKit1: .updated(QueueTransaction(object: 1, state: .purchasing, payment: payment)))
    #expect(try fields(test.recorder.spool, "payment").last == "launch-1-tap-1")
  }

  @Test("bounds what it keeps in memory, and finishes nothing that it dropped") func dropped()
    throws
  {
    var limits = SpoolLimits()
    limits.bytesMax = 1_000
    let test = try TestRecorder(limits: limits)
    let recorder = test.recorder
    let reason = String(repeating: "x", count: Recorder.missedBytesMax / 5)
    try recorder.record(storeKit1: .restore)
    for _ in 1...4 {
      #expect(throws: RecorderError.self) { try recorder.record(app: .ended(reason: reason)) }
    }
    func bought(_ id: String) -> QueueTransaction {
      QueueTransaction(
        object: 1, state: .purchased, payment: QueuePayment(product: "p"), transaction: id,
        downloads: [HostedContent(identifier: "d", version: reason)])
    }
    #expect(throws: RecorderError.self) { try recorder.record(storeKit1: .updated(bought("T1"))) }
    // What is kept in memory finds room; the purchase was dropped.
    var larger = bought("T1")
    larger.downloads = []
    #expect(throws: RecorderError.dropped("T1")) {
      try recorder.record(storeKit1: .finish(larger))
    }
  }

  @Test("shows in the numbers that an event was dropped, and none for a finish") func gap() throws {
    var limits = SpoolLimits()
    limits.lineBytesMax = 1_000
    let recorder = try TestRecorder(limits: limits).recorder
    try recorder.record(app: .backgrounded)
    let reason = String(repeating: "x", count: 2_000)
    #expect(throws: RecorderError.self) { try recorder.record(app: .ended(reason: reason)) }
    try recorder.record(app: .foregrounded)
    #expect(try sequences(recorder.spool) == [0, 2])
  }

  @Test("finishes no purchase of a payment whose adding was dropped") func droppedPayment() throws {
    var limits = SpoolLimits()
    limits.lineBytesMax = 1_000
    let long = DisplayedPrice(price: String(repeating: "9", count: 2_000))
    let first = try TestRecorder(limits: limits).recorder
    let payment = QueuePayment(product: "p")
    let bought = QueueTransaction(
      object: 1, state: .purchased, payment: payment, transaction: "T1")
    #expect(throws: RecorderError.self) {
      try first.record(storeKit1: .paymentAdded(payment, displayed: long))
    }
    try first.record(storeKit1: .updated(bought))
    #expect(try fields(first.spool, "payment") == ["launch-1-tap-1"])
    #expect(throws: RecorderError.dropped("launch-1-tap-1")) {
      try first.record(storeKit1: .finish(bought))
    }
    // The same for StoreKit 2, whose finish names no payment either.
    let second = try TestRecorder(limits: limits).recorder
    let signed = EveryCall.signed { $0.jws = nil }
    #expect(throws: RecorderError.self) {
      try second.record(storeKit2: .purchase(payment: "tap", product: "p", displayed: long))
    }
    try second.record(storeKit2: .purchased(.success(signed), payment: "tap", product: "p"))
    #expect(throws: RecorderError.dropped("tap")) { try second.record(storeKit2: .finish(signed)) }
    // Another purchase is finished.
    try second.record(storeKit2: .finish(EveryCall.signed { $0.transaction = "2000000999" }))
  }

  @Test("records the others of a callback if one of them is too long") func oneTooLong() throws {
    var limits = SpoolLimits()
    limits.lineBytesMax = 1_000
    let recorder = try TestRecorder(limits: limits).recorder
    let long = String(repeating: "x", count: 2_000)
    let bought = (1...3).map { number in
      QueueTransaction(
        object: UInt(number), state: .purchased,
        payment: QueuePayment(product: "p\(number)"), transaction: "T\(number)",
        downloads: number == 2 ? [HostedContent(identifier: "d", version: long)] : [])
    }
    #expect(throws: RecorderError.self) {
      try recorder.record(storeKit1: bought.map { .updated($0) })
    }
    #expect(try fields(recorder.spool, "transaction") == ["T1", "T3"])
    // The gap is the one that was dropped, and only that is not finished.
    #expect(try sequences(recorder.spool) == [0, 2])
    for number in [0, 2] { try recorder.record(storeKit1: .finish(bought[number])) }
    var shorter = bought[1]
    shorter.downloads = []
    #expect(throws: RecorderError.dropped("T2")) {
      try recorder.record(storeKit1: .finish(shorter))
    }
  }

  @Test("gives no number twice, though a finish that failed may be on the disk")
  func finishNotSynced() throws {
    let disk = MemoryDisk()
    let bought = EveryCall.transaction(.purchased)
    do {
      let recorder = try TestRecorder(disk).recorder
      try recorder.record(storeKit1: .updated(bought))
      disk.state.withLock { $0.broken = [("fsync", ".spool"), ("ftruncate", ".spool")] }
      #expect(throws: RecorderError.self) { try recorder.record(storeKit1: .finish(bought)) }
      disk.state.withLock { $0.broken = [] }
      try recorder.record(storeKit1: .finish(bought))
    }
    let spool = try Spool(folder: "/spool", files: disk)
    #expect(try sequences(spool) == [0, 1, 2])
  }

  @Test("uploads what is only in memory, and is not idle while something is") func inMemory()
    async throws
  {
    let test = try TestRecorder()
    test.disk.state.withLock { $0.broken = [("pwrite", ".spool")] }
    #expect(throws: RecorderError.self) {
      try test.recorder.record(storeKit1: .updated(EveryCall.transaction(.purchased)))
    }
    let server = CollectingServer()
    let notices = Locked<[Upload.Notice]>([])
    let upload = Upload(
      test.recorder, to: server, random: { 0.5 },
      notify: { notice in notices.withLock { $0.append(notice) } })
    #expect(await upload.uploadOnce() == .wait(seconds: 1.5))
    #expect(notices.withLock { $0 }.count == 1)
    test.disk.state.withLock { $0.broken = [] }
    #expect(await upload.uploadOnce() == .advanced(acknowledged: 1, refused: 0))
    #expect(await server.types == ["transaction.purchased"])
    #expect(await upload.uploadOnce() == .idle)
  }

  @Test("writes what it kept in memory as soon as an upload has made room") func flushed()
    async throws
  {
    var limits = SpoolLimits()
    limits.bytesMax = 600
    let recorder = try TestRecorder(limits: limits).recorder
    try recorder.record(storeKit1: .restore)
    try recorder.record(storeKit1: .restoreFinished)
    #expect(throws: RecorderError.self) {
      try recorder.record(storeKit1: .updated(EveryCall.transaction(.purchased)))
    }
    let server = CollectingServer()
    try await Upload(recorder, to: server).run()
    #expect(recorder.spool.count == 0)
    #expect(
      await server.types == ["restore.requested", "restore.completed", "transaction.purchased"])
  }
}

/// Acknowledges everything, and keeps the types of events.
private actor CollectingServer: EventUploader {
  private(set) var types: [String] = []

  func upload(_ body: [UInt8]) throws -> UploadAnswer {
    var answer = ""
    for line in body.split(separator: UInt8(ascii: "\n")) {
      let event = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
      types.append(event?["type"] as? String ?? "")
      answer += #"{"id":"\#(event?["id"] as? String ?? "")","position":\#(types.count)}"# + "\n"
    }
    return UploadAnswer(status: 200, body: [UInt8](answer.utf8))
  }
}
