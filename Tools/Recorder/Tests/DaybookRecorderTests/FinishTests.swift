import Foundation
import Testing

@testable import DaybookRecorder

/// What may be finished, and what is on the disk by then.
@Suite("The recorder and a finish") struct FinishTests {
  private func lines(_ spool: Spool) throws -> [[String: Any]] {
    try spool.allLines().compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  private func types(_ spool: Spool) throws -> [String] {
    try lines(spool).compactMap { $0["type"] as? String }
  }

  private let bought = QueueTransaction(
    object: 1, state: .purchased, payment: QueuePayment(product: "p"), transaction: "T")

  private let forged = EveryCall.signed {
    $0.account = "a-lice"
    $0.verificationError = StoreError(domain: "VerificationError", code: 1)
  }

  // MARK: - Unverified

  @Test("gives what was not verified to nobody, and names its transaction in no envelope")
  func unverified() throws {
    for assigns in [false, true] {
      let test = try TestRecorder { $0.assignsToSignedIn = assigns }
      let recorder = test.recorder
      try recorder.record(storeKit2: .purchase(payment: "tap", product: "p"))
      let calls: [PurchaseCall] = [
        .purchased(.success(forged), payment: "tap", product: "p"), .updated(forged),
        .unfinished(forged),
      ]
      for call in calls { try recorder.record(storeKit2: call) }
      try recorder.record(app: .receiptRejected(Purchase(forged)))
      for line in try lines(recorder.spool).dropFirst() {
        #expect(line["type"] as? String == "receipt.rejected")
        #expect(line["transaction"] == nil && line["originalTransaction"] == nil)
        #expect(line["account"] as? String == (assigns ? "hiker-1" : nil))
      }
      let first = try lines(recorder.spool)[1]
      #expect(first["payment"] as? String == "tap")
      let data = first["data"] as? [String: Any]
      #expect(data?["claimedTransaction"] as? String == forged.transaction)
      // The genuine one is its first, and names the owner.
      try recorder.record(storeKit2: .updated(EveryCall.signed { $0.account = "a-lice" }))
      let genuine = try #require(try lines(recorder.spool).last)
      #expect(genuine["account"] as? String == "a-lice" && genuine["payment"] == nil)
    }
  }

  @Test("finishes nothing that was not verified, and what was verified in spite of a forgery")
  func unverifiedFinish() throws {
    let recorder = try TestRecorder().recorder
    let unwrapped = EveryCall.signed { $0.jws = nil }
    #expect(throws: RecorderError.unverified(forged.transaction)) {
      try recorder.record(storeKit2: .finish(forged))
    }
    try recorder.record(storeKit2: .updated(forged))
    for call in [PurchaseCall.finish(unwrapped), .finish(forged), .refundRequested(forged)] {
      #expect(throws: RecorderError.unverified(forged.transaction)) {
        try recorder.record(storeKit2: call)
      }
    }
    #expect(throws: RecorderError.self) { try recorder.record(app: .fulfilled(Purchase(forged))) }
    try recorder.record(storeKit2: .updated(EveryCall.signed()))
    try recorder.record(storeKit2: .finish(unwrapped))
    #expect(
      try types(recorder.spool)
        == ["receipt.rejected", "transaction.purchased", "transaction.finished"])
  }

  // MARK: - Batches

  @Test("keeps the purchase of a batch that ends in a finish, and finishes after it")
  func batch() throws {
    for broken in ["pwrite", "fsync"] {
      let test = try TestRecorder()
      let recorder = test.recorder
      try recorder.record(storeKit1: .observerAdded)
      test.disk.state.withLock { $0.broken = [(broken, ".spool")] }
      #expect(throws: RecorderError.self) {
        try recorder.record(storeKit1: [.updated(bought), .finish(bought)])
      }
      #expect(!recorder.sawFinish(of: bought))
      test.disk.state.withLock { $0.broken = [] }
      try recorder.record(storeKit1: .finish(bought))
      #expect(
        try types(recorder.spool)
          == ["session.observerAdded", "transaction.purchased", "transaction.finished"])
    }
  }

  @Test("records a batch with finishes in its order, and none after something was refused")
  func batchOrder() throws {
    let recorder = try TestRecorder().recorder
    var other = bought
    (other.object, other.transaction) = (2, "T2")
    var nameless = bought
    (nameless.object, nameless.transaction) = (3, nil)
    try recorder.record(
      storeKit1: [
        .updated(bought), .finish(bought), .removed(bought), .updated(other), .finish(other),
      ])
    #expect(
      try lines(recorder.spool).map { "\($0["type"] ?? "") \($0["transaction"] ?? "")" } == [
        "transaction.purchased T", "transaction.finished T", "transaction.removed T",
        "transaction.purchased T2", "transaction.finished T2",
      ])
    #expect(
      throws: RecorderError.incomplete(type: "transaction.purchased", missing: ["transaction"])
    ) { try recorder.record(storeKit1: [.updated(nameless), .finish(other), .restore]) }
    #expect(try types(recorder.spool).dropFirst(5) == ["restore.requested"])
  }

  // MARK: - Reports

  @Test("does not finish a purchase that was refused, until it is recorded") func refused() throws {
    let recorder = try TestRecorder().recorder
    let missing = RecorderError.incomplete(
      type: "transaction.purchased", missing: ["transaction"])
    var nameless = bought
    nameless.transaction = nil
    for call in [QueueCall.updated(nameless), .finish(nameless)] {
      #expect(throws: missing) { try recorder.record(storeKit1: call) }
    }
    // A later report that is refused takes the earlier one's place.
    var unknown = bought
    unknown.payment.product = ""
    try recorder.record(storeKit1: .updated(bought))
    for call in [QueueCall.updated(unknown), .finish(unknown)] {
      #expect(
        throws: RecorderError.incomplete(type: "transaction.purchased", missing: ["product"])
      ) { try recorder.record(storeKit1: call) }
    }
    try recorder.record(storeKit1: .updated(bought))
    try recorder.record(storeKit1: .finish(bought))
    #expect(
      try types(recorder.spool)
        == ["transaction.purchased", "transaction.purchased", "transaction.finished"])
  }

  @Test("reports what it finishes and was never reported in this launch") func unreported() throws {
    let disk = MemoryDisk()
    do {
      let recorder = try TestRecorder(disk).recorder
      var failed = QueueTransaction(object: 2, state: .failed, payment: QueuePayment(product: "q"))
      failed.error = StoreError(domain: "SKErrorDomain", code: 2)
      try recorder.record(storeKit1: .finish(bought))
      try recorder.record(storeKit1: .finish(failed))
      try recorder.record(storeKit2: .finish(EveryCall.signed()))
      try recorder.record(
        storeKit2: .finish(
          EveryCall.signed {
            ($0.transaction, $0.revokedAt) = ("2000000999", EveryCall.time)
          }))
      #expect(
        try types(recorder.spool) == [
          "transaction.purchased", "transaction.finished", "transaction.failed",
          "transaction.finished", "transaction.purchased", "transaction.finished",
          "transaction.refunded", "transaction.finished",
        ])
      // Once in a launch.
      try recorder.record(storeKit1: .finish(bought))
      #expect(recorder.spool.count == 9)
    }
    let recorder = try TestRecorder(disk, session: "launch-2").recorder
    try recorder.record(storeKit1: .finish(bought))
    #expect(recorder.spool.count == 11)
    // What cannot be reported is not finished, and reported later.
    disk.state.withLock { $0.broken = [("pwrite", ".spool")] }
    #expect(throws: RecorderError.self) {
      try recorder.record(storeKit2: .finish(EveryCall.signed()))
    }
    disk.state.withLock { $0.broken = [] }
    try recorder.record(app: .backgrounded)
    #expect(
      try types(recorder.spool).dropFirst(11) == ["transaction.purchased", "session.backgrounded"])
  }

  @Test(
    "leaves no finish on the disk without what was before it, whichever pages a power cut takes",
    arguments: [true, false])
  func torn(isMissed: Bool) throws {
    var finished = 0
    for call in 1...40 {
      for pages in UInt64(0)..<64 {
        let disk = MemoryDisk()
        do {
          let recorder = try TestRecorder(disk).recorder
          try recorder.record(storeKit1: .observerAdded)
          if isMissed {
            disk.state.withLock { $0.broken = [("pwrite", ".spool")] }
            #expect(throws: RecorderError.self) { try recorder.record(storeKit1: .updated(bought)) }
          }
          disk.state.withLock { state in
            (state.broken, state.failing, state.staysFull) = ([], state.calls + call, true)
          }
          do throws(RecorderError) {
            try recorder.record(storeKit1: .finish(bought))
          } catch {
            guard case .spool = error else { throw error }
          }
        }
        disk.state.withLock { $0.failing = 0 }
        // All pages but some of the first.
        disk.cutPower(keepingPages: ~pages)
        let found = try types(try Spool(folder: "/spool", files: disk))
        guard found.contains("transaction.finished") else { continue }
        finished += 1
        #expect(found.contains("transaction.purchased"), "call \(call), pages \(pages)")
      }
    }
    #expect(finished > 0)
  }

  @Test("tries one line while the disk is full, however many wait, and then writes all of them")
  func fullDisk() throws {
    let test = try TestRecorder()
    try test.recorder.record(storeKit1: .restore)
    test.disk.state.withLock { $0.broken = [("pwrite", ".spool")] }
    func offered() -> Int { test.disk.state.withLock { $0.offeredBytes } }
    var attempts: [Int] = []
    for _ in 1...200 {
      let before = offered()
      #expect(throws: RecorderError.self) { try test.recorder.record(storeKit1: .restore) }
      attempts.append(offered() - before)
    }
    #expect(Set(attempts).count == 1)
    test.disk.state.withLock { $0.broken = [] }
    try test.recorder.record(storeKit1: .restore)
    #expect(try lines(test.recorder.spool).map { $0["sequence"] as? Int } == Array(0...201))
  }
}
