import Foundation
import LedgerEvents
import LedgerQueries
import LedgerTesting
import SignedDataSamples
import StoreImport
import Synchronization
import Testing

@testable import LedgerImport

/// A file during whose comparison with the ledger something else happens: after the ledger was
/// read, and before anything is appended.
private final class InterruptedFile: PurchaseImport {
  private let file: any PurchaseImport
  private let interruption: @Sendable (Int) throws -> Void
  private let count = Mutex(0)

  /// - Parameter interruption: Called with the number of the comparison, from 1.
  init(_ file: any PurchaseImport, _ interruption: @escaping @Sendable (Int) throws -> Void) {
    self.file = file
    self.interruption = interruption
  }

  var askedAt: Instant? { file.askedAt }
  var isVerified: Bool { file.isVerified }
  var subjects: [ImportSubjects] { file.subjects }

  /// How often it was compared.
  var comparisons: Int { count.withLock { $0 } }

  func outcome(
    _ known: [StoreEnvironment: KnownPurchases], recordsClaims: Bool
  ) throws(ImportError) -> ReceiptImport.Outcome {
    let number = count.withLock { count in
      count += 1
      return count
    }
    do { try interruption(number) } catch { Issue.record(error) }
    return try file.outcome(known, recordsClaims: recordsClaims)
  }
}

@Suite("Notifications that are taken at once") struct ConcurrentIntakeTests {
  private let store: StoreNotifications
  private let intake: NotificationIntake
  private let temporary: TemporaryLedger
  private var ledger: Ledger { temporary.ledger }

  init() throws {
    store = try StoreNotifications()
    intake = try store.intake()
    temporary = try TemporaryLedger()
  }

  /// An event about a purchase, of somebody else's unless something else is said.
  private func fulfilled(
    _ id: String, _ names: String = #""transaction":"9""#
  ) throws -> EventInput {
    EventInput(
      event: try event(
        #"{"id":"\#(id)","type":"purchase.fulfilled","occurredAt":"2023-06-02T10:00:00Z",\#(names)}"#
      ))
  }

  /// Appends a file during whose first comparison others append.
  ///
  /// - Returns: How often it was compared.
  private func comparisons(
    of body: [UInt8], _ interruption: @escaping @Sendable (Ledger) throws -> Void
  ) throws -> Int {
    let ledger = ledger
    let file = InterruptedFile(try store.file(body, for: ledger)) { number in
      if number == 1 { try interruption(ledger) }
    }
    _ = try PurchaseIntake(ledger).appendAndWait(file, named: "a")
    return file.comparisons
  }

  @Test("record a purchase once that both of them state") func related() throws {
    let (intake, other) = (intake, try store.purchase())
    let count = try comparisons(of: try store.cancellation()) { ledger in
      let taken = try intake.takeAndWait(other, into: ledger)
      #expect(taken.appendedCount > 0)
    }
    #expect(count == 2)
    #expect(try ledger.purchases() == ["1"])
  }

  @Test("are one notification, if the store sent it twice and signed it again") func copies() throws
  {
    let (intake, copy) = (intake, try store.cancellation(signed: 700))
    let count = try comparisons(of: try store.cancellation()) { ledger in
      let taken = try intake.takeAndWait(copy, into: ledger)
      #expect(taken.appendedCount > 0)
    }
    #expect(count == 2)
    #expect(try ledger.everything().count { $0.id == "cancellation" } == 1)
    #expect(try ledger.purchases() == ["1"])
  }

  @Test("are refused if somebody else became the owner meanwhile") func owner() throws {
    let other = try store.body(
      "SUBSCRIBED", "INITIAL_BUY", uuid: "other",
      transaction: StoreNotifications.period(account: "bob"))
    let intake = intake
    var refused: ImportError?
    do throws(IntakeFailure) {
      let ledger = ledger
      let file: InterruptedFile
      do {
        file = InterruptedFile(try store.file(try store.cancellation(), for: ledger)) { number in
          if number == 1 { _ = try intake.takeAndWait(other, into: ledger) }
        }
      } catch {
        Issue.record(error)
        return
      }
      _ = try PurchaseIntake(ledger).appendAndWait(file, named: "a")
    } catch {
      if case .file(let error) = error { refused = error }
    }
    #expect(refused?.code == .ownedByAnother)
    #expect(try !ledger.everything().contains { $0.id == "cancellation" })
  }

  @Test("do not wait for what others append about other purchases") func unrelated() throws {
    let others = try [
      fulfilled("a"), fulfilled("b", #""transaction":"9","account":"bob""#),
      fulfilled("c", #""originalTransaction":"8","transaction":"7""#),
    ]
    let count = try comparisons(of: try store.purchase()) { try $0.appendAndWait(others) }
    #expect(count == 1)
    #expect(try ledger.purchases() == ["1"])
  }

  @Test(
    "are compared again after anything about the purchase, its customer, or whose something is",
    arguments: [
      #""transaction":"1""#, #""transaction":"5","originalTransaction":"1""#,
      #""transaction":"9","account":"ada""#,
      #""payment":"p","transaction":"9""#,
    ])
  func relation(_ names: String) throws {
    let other = try fulfilled("a", names)
    let count = try comparisons(of: try store.purchase()) { try $0.appendAndWait([other]) }
    #expect(count == 2)
  }

  @Test("are compared again after a link, a transfer or an erasure of anybody") func accounts()
    throws
  {
    let names = RelatedNames(of: [], [:])
    for type in ["account.linked", "account.transferred", "account.erased", "account.unheardOf"] {
      #expect(
        names.areNamed(
          by: try event(
            #"{"id":"a","type":"\#(type)","occurredAt":"2023-06-02T10:00:00Z","account":"bob","#
              + #""data":{"to":"eve","with":"eve","other":"eve"}}"#)), "\(type)")
    }
    #expect(!names.areNamed(by: try fulfilled("a", #""transaction":"9","account":"bob""#).event))
  }

  @Test("are compared again after more events than an append compares") func many() throws {
    let others = try (0...Int(RelatedNames.comparedEventsMax)).map { try fulfilled("other-\($0)") }
    let most = Array(others.dropLast())
    #expect(try comparisons(of: try store.purchase()) { try $0.appendAndWait(most) } == 1)
    let again = try (0...Int(RelatedNames.comparedEventsMax)).map { try fulfilled("another-\($0)") }
    #expect(try comparisons(of: try store.renewal()) { try $0.appendAndWait(again) } == 2)
  }

  @Test("are to be sent again if others are faster each time") func outrun() throws {
    let ledger = ledger
    let file = InterruptedFile(try store.file(try store.purchase(), for: ledger)) { number in
      let line =
        #"{"id":"other-\#(number)","type":"purchase.fulfilled","transaction":"1","#
        + #""occurredAt":"2023-06-02T10:00:00Z"}"#
      try ledger.appendAndWait([EventInput(event: try event(line))])
    }
    var refused: IntakeRefusal?
    do throws(IntakeFailure) {
      _ = try PurchaseIntake(ledger).appendAndWait(file, named: "a")
    } catch { refused = IntakeRefusal(error) }
    #expect(refused?.shouldRetry == true && refused?.check == "conditionFailed")
    #expect(file.comparisons == PurchaseIntake.attemptsMax)
    #expect(try ledger.purchases().isEmpty)
  }

  @Test("by several threads are each taken, and double nothing") func threads() throws {
    let bodies = [
      try store.purchase(), try store.purchase(), try store.cancellation(),
      try store.cancellation(uuid: "second", signed: 600), try store.renewal(),
      try store.renewal(),
    ]
    let (intake, ledger) = (intake, ledger)
    let taken = Mutex<[TakenNotification]>([])
    DispatchQueue.concurrentPerform(iterations: bodies.count) { index in
      do {
        let one = try intake.takeAndWait(bodies[index], into: ledger)
        taken.withLock { $0.append(one) }
      } catch { Issue.record(error) }
    }
    try expectEach(taken.withLock { $0 }, of: bodies.count)
  }

  /// Expects that all were taken, that their events are all there are, and that they give the
  /// answer that one after the other gives.
  private func expectEach(_ taken: [TakenNotification], of count: Int) throws {
    #expect(taken.count == count)
    let events = try ledger.everything()
    #expect(taken.map(\.appendedCount).reduce(0, +) == events.count)
    let positions = taken.compactMap(\.positions).flatMap(Array.init).sorted()
    #expect(positions == Array(1...UInt64(events.count)))
    let other = try TemporaryLedger()
    for body in [try store.purchase(), try store.cancellation(), try store.renewal()] {
      _ = try intake.takeAndWait(body, into: other.ledger)
    }
    #expect(try ledger.secondPeriod() == other.ledger.secondPeriod())
    #expect(try !ledger.secondPeriod().isEmpty)
  }
}
