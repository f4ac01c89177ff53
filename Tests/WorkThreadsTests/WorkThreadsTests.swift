import Dispatch
import Synchronization
import Testing

@testable import WorkThreads

@Suite("Threads for work")
struct WorkThreadsTests {
  @Test("run blocks in the order in which they are due") func order() {
    let ran = Mutex<[Int]>([])
    let finished = DispatchSemaphore(value: 0)
    let thread = BackgroundThread()
    let isHeld = DispatchSemaphore(value: 0)
    #expect(thread.run { isHeld.wait() })
    #expect(
      thread.run(after: .milliseconds(30)) {
        ran.withLock { $0.append(3) }
        finished.signal()
      })
    for number in 1...2 { #expect(thread.run { ran.withLock { $0.append(number) } }) }
    isHeld.signal()
    finished.wait()
    #expect(ran.withLock { $0 } == [1, 2, 3])
  }

  @Test("say that there is none, and start one as soon as the system does") func refused() {
    let threads = ThreadsByHand(allowed: 0)
    let thread = BackgroundThread(startingWith: threads.start)
    #expect(!thread.run { Issue.record("a block ran that was refused") })
    threads.allow(1)
    let finished = DispatchSemaphore(value: 0)
    #expect(thread.run { finished.signal() })
    finished.wait()
    // The thread is still there, so no other one is needed.
    #expect(thread.run { finished.signal() })
    finished.wait()
    #expect(threads.asked == 2)
  }

  @Test("share work in pieces, each done once and in its place", arguments: [0, 1, 3])
  func pieces(helpers: Int) {
    let threads = ThreadsByHand(allowed: helpers)
    let pool = HelperThreads(max: 3, startingWith: threads.start)
    for count in [0, 1, 2, 3, 100] {
      let counted = Counted()
      let results = concurrentMap(count, pool) { piece in
        counted.add()
        return piece * piece
      }
      #expect(results == (0..<count).map { $0 * $0 })
      #expect(counted.total == count)
    }
  }

  @Test("help: two pieces that wait for each other need two threads") func help() {
    let pool = HelperThreads(max: 1, startingWith: ThreadStart.run)
    let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let results = concurrentMap(2, pool) { piece -> DispatchTimeoutResult in
      (piece == 0 ? first : second).signal()
      return (piece == 0 ? second : first).wait(timeout: .now() + 60)
    }
    #expect(results == [.success, .success])
  }

  @Test("begin work while the caller does something else") func begin() {
    let pool = HelperThreads(max: 1, startingWith: ThreadStart.run)
    let begun = DispatchSemaphore(value: 0)
    let work = ConcurrentWork.begin(3, pool) { piece in
      begun.signal()
      return piece * piece
    }
    #expect(begun.wait(timeout: .now() + 60) == .success)
    #expect(work.results() == [0, 1, 4])
  }

  @Test("leave begun work to the caller if there are none") func alone() {
    let pool = HelperThreads(max: 1, startingWith: ThreadsByHand(allowed: 0).start)
    let counted = Counted()
    let work = ConcurrentWork.begin(3, pool) { piece in
      counted.add()
      return piece
    }
    #expect(counted.total == 0)
    #expect(work.results() == [0, 1, 2])
    let abandoned = ConcurrentWork.begin(3, pool) { _ in counted.add() }
    abandoned.abandon()
    #expect(counted.total == 3)
  }

  @Test("are waited for when work is abandoned, and begin no further piece") func abandon() {
    let pool = HelperThreads(max: 2, startingWith: ThreadStart.run)
    let (begun, ended) = (Counted(), Counted())
    for _ in 0..<100 {
      let (first, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let work = ConcurrentWork.begin(50, pool) { _ in
        begun.add()
        first.signal()
        release.wait()
        ended.add()
      }
      first.wait()
      // A piece is under way, and ends while somebody waits for it, or before.
      let isStarted = ThreadStart.run { for _ in 0..<50 { release.signal() } }
      #expect(isStarted)
      work.abandon()
      let total = begun.total
      #expect(ended.total == total)
      #expect(begun.total == total)
    }
  }
}

@Suite("Room for threads") struct ThreadRoomTests {
  @Test("is there only if all of them start, and those that did have ended") func counted() {
    #expect(ThreadRoom.isFree(for: 3, startingWith: ThreadsByHand(allowed: 3).start))
    let few = ThreadsByHand(allowed: 2)
    #expect(!ThreadRoom.isFree(for: 3, startingWith: few.start))
    #expect(few.asked == 3)
    #expect(ThreadRoom.isFree(for: 40))
  }
}

@Suite("The words that a program was started with") struct StartWordsTests {
  @Test("are shown with the bytes that are not UTF-8, as shells read them") func shown() {
    #expect(StartWords.shownIfNotText(ArraySlice("alé".utf8)) == nil)
    #expect(StartWords.shownIfNotText(ArraySlice("al".utf8) + [0xE9]) == #"al\xe9"#)
    let mixed: ArraySlice<UInt8> = [0xFF, 0x0A] + ArraySlice("é🂡".utf8) + [0xF0]
    #expect(StartWords.shownIfNotText(mixed) == "\\xff\né🂡\\xf0")
    #expect(StartWords.shownIfNotText([0xC0, 0x80]) == #"\xc0\x80"#)
    #expect(StartWords.shownIfNotText([0xED, 0xA0, 0x80]) == #"\xed\xa0\x80"#)
  }

  @Test("are refused with the number of the argument, or as the variable that they are")
  func refused() {
    let (good, bad) = (ArraySlice("ada".utf8), ArraySlice("al".utf8) + [0xE9])
    let (own, other) = (ArraySlice("DAYBOOK_A=".utf8), ArraySlice("A=".utf8))
    let sound = StartWords.problem(arguments: [good], variables: [own + good, other + bad])
    #expect(sound == nil, "those of other programs are not looked at")
    let argument = StartWords.problem(arguments: [good, bad], variables: [own + bad])
    #expect(argument?.hasPrefix(#"argument 2 is not in UTF-8: al\xe9."#) == true)
    let variable = StartWords.problem(arguments: [good], variables: [own + good, own + bad])
    #expect(variable?.hasPrefix(#"a variable is not in UTF-8: DAYBOOK_A=al\xe9."#) == true)
  }

  @Test("are those of this process") func ofThisProcess() {
    #if os(Linux)
      let shown = StartWords.shown(in: "cmdline").map { String(decoding: $0, as: UTF8.self) }
      #expect(shown == CommandLine.arguments)
      #expect(StartWords.shown(in: "environ").contains { $0.starts(with: "PATH=".utf8) })
    #endif
    #expect(StartWords.problem() == nil)
  }
}

private final class Counted: Sendable {
  private let calls = Atomic<Int>(0)
  func add() { calls.wrappingAdd(1, ordering: .relaxed) }
  var total: Int { calls.load(ordering: .relaxed) }
}

/// Starts as many threads as it is told to.
private final class ThreadsByHand: Sendable {
  private let left: Mutex<Int>
  private let count = Atomic<Int>(0)

  init(allowed: Int) { left = Mutex(allowed) }

  /// How often a thread was asked for.
  var asked: Int { count.load(ordering: .relaxed) }

  func allow(_ more: Int) { left.withLock { $0 += more } }

  func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    count.wrappingAdd(1, ordering: .relaxed)
    let isAllowed = left.withLock { left in
      defer { left = max(0, left - 1) }
      return left > 0
    }
    return isAllowed && ThreadStart.run(body)
  }
}
