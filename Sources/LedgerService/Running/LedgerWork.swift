import LedgerStore
import NIOPosix
import Synchronization

/// Runs what blocks a thread, such as waiting for the disk, on threads for that, and refuses more
/// than can wait.
final class LedgerWork: Sendable {
  let ledger: Ledger
  private let appends: WorkQueue
  private let questions: WorkQueue
  private let surveys: WorkQueue
  private let streams: WorkQueue

  /// - Parameters:
  ///   - ledger: What is worked on.
  ///   - appendsMax: How many appends run or wait at the same time.
  ///   - questionsMax: How many questions do, and how many about any number of customers.
  ///   - followersMax: How many followers there are.
  ///   - threads: How many threads append, and how many answer questions.
  init(
    _ ledger: Ledger, appendsMax: Int = ServiceLimits.appendsMax,
    questionsMax: Int = ServiceLimits.questionsMax,
    followersMax: Int = ServiceLimits.followersMax,
    threads: (appends: Int, questions: Int) = (
      ServiceLimits.appendThreads, ServiceLimits.questionThreads
    )
  ) {
    self.ledger = ledger
    appends = WorkQueue("appends", threads.appends, appendsMax)
    questions = WorkQueue("questions", threads.questions, questionsMax)
    surveys = WorkQueue(
      "questions", min(threads.questions, ServiceLimits.surveyThreads), questionsMax)
    streams = WorkQueue("streams", ServiceLimits.followThreads, followersMax)
  }

  /// Runs something that appends.
  ///
  /// - Throws: ``Problem``: `tooManyRequests`, and what `body` throws.
  func append<Value: Sendable>(
    _ body: @escaping @Sendable (Ledger) throws(Problem) -> Value
  ) async throws(Problem) -> Value {
    let ledger = ledger
    return try await appends.run { () throws(Problem) in try body(ledger) }
  }

  /// Runs a question in a snapshot of the ledger.
  ///
  /// - Parameter isSurvey: Whether it is about any number of customers, so that it may take long.
  /// - Throws: ``Problem``: `tooManyRequests`, and what `body` throws.
  func ask<Value: Sendable>(
    isSurvey: Bool = false, _ body: @escaping @Sendable (LedgerView) throws(Problem) -> Value
  ) async throws(Problem) -> Value {
    let ledger = ledger
    return try await (isSurvey ? surveys : questions).run { () throws(Problem) in
      try ledger.asked(body)
    }
  }

  /// Runs something that reads, and takes its own snapshots.
  ///
  /// - Throws: ``Problem``: `tooManyRequests`, and what `body` throws.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(Problem) -> Value
  ) async throws(Problem) -> Value { try await questions.run(body) }

  /// Reads what a follower is sent next. Every event wakes all followers at once, so each of them
  /// has its place: one that was refused would lose its stream.
  ///
  /// - Throws: ``Problem``: what `body` throws.
  func follow<Value: Sendable>(
    _ body: @escaping @Sendable () throws(Problem) -> Value
  ) async throws(Problem) -> Value { try await streams.run(body) }

  /// Ends the threads. Nothing may wait for them any more.
  func end() async throws {
    try await appends.end()
    try await questions.end()
    try await surveys.end()
    try await streams.end()
  }
}

extension Ledger {
  /// Reads with a body that throws problems.
  func asked<Value>(_ body: (LedgerView) throws(Problem) -> Value) throws(Problem) -> Value {
    let result: Result<Value, Problem>
    do throws(LedgerError) {
      result = try read { (view) throws(LedgerError) in
        Result { () throws(Problem) in try body(view) }
      }
    } catch {
      throw Problem(error)
    }
    return try result.get()
  }
}

/// Threads, and how many jobs wait for them or run.
private final class WorkQueue: Sendable {
  private let name: String
  private let threads: NIOThreadPool
  private let jobsMax: Int
  private let jobs = Atomic(0)

  init(_ name: String, _ count: Int, _ jobsMax: Int) {
    self.name = name
    self.jobsMax = jobsMax
    threads = NIOThreadPool(numberOfThreads: count)
    threads.start()
  }

  func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(Problem) -> Value
  ) async throws(Problem) -> Value {
    defer { jobs.subtract(1, ordering: .relaxed) }
    guard jobs.add(1, ordering: .relaxed).newValue <= jobsMax else {
      var problem = Problem(
        .tooManyRequests, "More than \(jobsMax) \(name) wait: send this one again later.")
      problem.retryAfterSeconds = 1
      throw problem
    }
    let result: Result<Value, Problem>
    do {
      result = try await threads.runIfActive { Result { () throws(Problem) in try body() } }
    } catch {
      var problem = Problem(.unavailable, "The service is being stopped: send this again.")
      problem.retryAfterSeconds = 1
      throw problem
    }
    return try result.get()
  }

  func end() async throws { try await threads.shutdownGracefully() }
}
