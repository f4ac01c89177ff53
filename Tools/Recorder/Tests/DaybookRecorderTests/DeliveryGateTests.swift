import Testing

@testable import DaybookRecorder

@Suite("A delivered transaction", .timeLimit(.minutes(1))) struct DeliveryGateTests {
  private struct NoRoom: Error {}

  /// What the store signed so many seconds later.
  private func signed(
    _ seconds: Int64, _ set: (inout SignedTransaction) -> Void = { _ in }
  ) -> SignedTransaction {
    EveryCall.signed { transaction in
      let time = EveryCall.time.microseconds + seconds * 1_000_000
      transaction.signedAt = Timestamp(microseconds: time)
      set(&transaction)
    }
  }

  @Test("is given once, though three sources deliver it at the same time") func once() async throws
  {
    let gate = DeliveryGate()
    let given = Locked(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...3 {
        group.addTask {
          try await gate.pass(EveryCall.signed()) {
            await Task.yield()
            given.withLock { $0 += 1 }
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(given.withLock { $0 } == 1)
  }

  @Test("is given again after it failed, and waits for the one that is given now") func failed()
    async throws
  {
    let gate = DeliveryGate()
    let given = Locked(0)
    let (began, begins) = AsyncStream<Void>.makeStream()
    let (goesOn, go) = AsyncStream<Void>.makeStream()
    let first = Task {
      try await gate.pass(EveryCall.signed()) {
        begins.yield()
        for await _ in goesOn { break }
        throw NoRoom()
      }
    }
    for await _ in began { break }
    let second = Task {
      try await gate.pass(EveryCall.signed()) { given.withLock { $0 += 1 } }
    }
    await Task.yield()
    #expect(given.withLock { $0 } == 0)
    go.yield()
    await #expect(throws: NoRoom.self) { try await first.value }
    try await second.value
    #expect(given.withLock { $0 } == 1)
  }

  @Test("lets a revocation pass, another transaction, and one that is verified later")
  func others() async throws {
    let gate = DeliveryGate()
    let given = Locked(0)
    let transactions = [
      EveryCall.signed { $0.verificationError = StoreError(domain: "VerificationError", code: 1) },
      signed(0), signed(1) { $0.revokedAt = EveryCall.time },
      EveryCall.signed { $0.transaction = "2000000999" },
    ]
    for transaction in transactions + transactions {
      try await gate.pass(transaction) { given.withLock { $0 += 1 } }
    }
    #expect(given.withLock { $0 } == 4)
  }

  @Test("gives each state of a transaction once, in the order of signing, and nothing that is old")
  func states() async throws {
    let gate = DeliveryGate()
    let given = Locked<[Int]>([])
    let later = Timestamp(microseconds: EveryCall.time.microseconds + 1)
    let states = [
      signed(0), signed(1), signed(2) { $0.revokedAt = EveryCall.time },
      // Signed before the refund, and handed over after it.
      signed(1),
      // The refund was reversed.
      signed(3), signed(5) { $0.jws = "signed again" },
      signed(4) { $0.revokedAt = EveryCall.time }, signed(6) { $0.expiresAt = later },
      signed(7) {
        $0.expiresAt = later
        $0.isUpgraded = true
      },
      signed(0) { $0.environment = .xcode },
    ]
    for (number, state) in states.enumerated() {
      try await gate.pass(state) { given.withLock { $0.append(number) } }
    }
    #expect(given.withLock { $0 } == [0, 2, 4, 7, 8, 9])
  }

  /// Passes a transaction, and returns when it is being given, until `go` ends it and `last` has
  /// been called.
  private func begin(
    _ gate: DeliveryGate, _ transaction: SignedTransaction,
    _ last: @escaping @Sendable () throws -> Void = {}
  ) async -> (task: Task<Void, any Error>, go: AsyncStream<Void>.Continuation) {
    let (began, begins) = AsyncStream<Void>.makeStream()
    let (goesOn, go) = AsyncStream<Void>.makeStream()
    let task = Task {
      try await gate.pass(transaction) {
        begins.finish()
        for await _ in goesOn {}
        try last()
      }
    }
    for await _ in began {}
    return (task, go)
  }

  @Test("takes nothing back before it was given") func refundWaits() async throws {
    let gate = DeliveryGate()
    let first = await begin(gate, signed(0))
    let hasEnded = Locked(false)
    let refund = Task {
      try await gate.pass(signed(1) { $0.revokedAt = EveryCall.time }) {
        #expect(hasEnded.withLock { $0 })
      }
    }
    while await gate.waiters == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    hasEnded.withLock { $0 = true }
    first.go.finish()
    try await first.task.value
    try await refund.value
  }

  @Test("is given to the end although its caller, such as a view, is gone") func callerGone()
    async throws
  {
    let gate = DeliveryGate()
    let given = Locked(0)
    let view = await begin(gate, EveryCall.signed()) {
      try Task.checkCancellation()
      given.withLock { $0 += 1 }
    }
    view.task.cancel()
    await #expect(throws: CancellationError.self) { try await view.task.value }
    let second = Task {
      try await gate.pass(EveryCall.signed()) { Issue.record("given twice") }
    }
    while await gate.waiters == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    view.go.finish()
    try await second.value
    #expect(given.withLock { $0 } == 1)
    // Gone before it came here.
    let (ended, end) = AsyncStream<Void>.makeStream()
    let (comes, come) = AsyncStream<Void>.makeStream()
    let late = Task {
      // Ends when the task is cancelled.
      for await _ in comes {}
      try await gate.pass(EveryCall.signed { $0.transaction = "2000000999" }) { end.finish() }
    }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
    come.finish()
    for await _ in ended {}
  }

  @Test("is given by one who is gone, after the one that it waited for has failed")
  func waiterGone() async throws {
    let gate = DeliveryGate()
    let first = await begin(gate, EveryCall.signed()) { throw NoRoom() }
    let (ended, end) = AsyncStream<Void>.makeStream()
    let view = Task { try await gate.pass(EveryCall.signed()) { end.finish() } }
    while await gate.waiters == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    view.cancel()
    await #expect(throws: CancellationError.self) { try await view.value }
    first.go.finish()
    await #expect(throws: NoRoom.self) { try await first.task.value }
    for await _ in ended {}
  }

  @Test("lets who waits go when the task is cancelled") func cancelled() async throws {
    let gate = DeliveryGate()
    let first = await begin(gate, signed(0))
    let second = Task { try await gate.pass(signed(0)) { Issue.record("given twice") } }
    while await gate.waiters == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    first.go.finish()
    try await first.task.value
  }
}
