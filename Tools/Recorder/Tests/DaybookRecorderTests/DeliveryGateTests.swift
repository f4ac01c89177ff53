import Testing

@testable import DaybookRecorder

@Suite("A delivered transaction", .timeLimit(.minutes(1))) struct DeliveryGateTests {
  private struct NoRoom: Error {}

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
      EveryCall.signed(), EveryCall.signed { $0.revokedAt = EveryCall.time },
      EveryCall.signed { $0.transaction = "2000000999" },
    ]
    for transaction in transactions + transactions {
      try await gate.pass(transaction) { given.withLock { $0 += 1 } }
    }
    #expect(given.withLock { $0 } == 4)
  }
}
