import Foundation
import LedgerEvents
import Testing

@testable import StoreImport

/// Runs the importers on real files of other projects, if they are beside this one.
@Suite(
  "Real files of the store",
  .enabled(if: StoreFiles.hasFixtures, "skipped: no ../shared/fixtures beside the package"))
struct RealFileTests {
  private func receipt(_ path: String) throws -> [Event] {
    try VerifyReceipt.events(
      from: StoreFiles.fixture(path), options: ImportOptions(fileName: path, digestKey: digestKey))
  }

  private func answers(_ name: String) throws -> [[UInt8]] {
    try StoreFiles.answers(inRecording: "\(StoreFiles.cassettes)/\(name).json")
  }

  private func events(_ answer: [UInt8]?, file: String = "answer.json") throws -> [Event] {
    try VerifyReceipt.events(
      from: try #require(answer), options: ImportOptions(fileName: file, digestKey: digestKey))
  }

  private func status(_ answer: [UInt8]?) throws -> Int? {
    do {
      _ = try events(answer)
      return 0
    } catch let error as ImportError {
      #expect(error.code == .refusedByStore)
      return error.status
    }
  }

  @Test("nine transactions are nine purchases and stay nine")
  func nineTransactionsAreNinePurchasesAndStayNine() throws {
    var log = IdempotentLog()
    let events = try receipt(StoreFiles.nineTransactions)
    let purchases = events.of(.transactionPurchased, .subscriptionRenewed)
    #expect(purchases.count == 9)
    #expect(Set(purchases.map(\.transaction)).count == 9)
    #expect(purchases.allSatisfy { $0.source == EventSource(.receipt) })
    #expect(purchases.allSatisfy { $0.environment == .sandbox })
    _ = try log.append(events)
    #expect(try log.append(try receipt(StoreFiles.nineTransactions)) == 0)
  }

  @Test("every configuration imports") func everyConfigurationImports() throws {
    let files = StoreFiles.fixtures(ending: ".storekit")
    #expect(files.count == 13)
    var counts: [Int] = []
    for file in files {
      let products = try StoreKitConfiguration.products(
        in: StoreFiles.bytes(file), fileName: file.path())
      counts.append(products.count)
    }
    #expect(counts.sorted() == [0, 1, 1, 2, 3, 3, 5, 6, 6, 7, 11, 13, 16])
  }

  @Test("recorded statuses are explained") func recordedStatusesAreExplained() throws {
    #expect(try answers("invalid_receipt").map { try status($0) } == [21002])
    #expect(try answers("sandbox_receipt_to_production").map { try status($0) } == [21007])
    #expect(try answers("production_receipt_to_sandbox").map { try status($0) } == [21008])
    #expect(try answers("receipt").map { try status($0) } == [21007, 0])
    #expect(try answers("auto_renewable_receipt").map { try status($0) } == [21007, 0])
    #expect(
      try status(
        StoreFiles.fixture(
          "aporat+store-receipt-validator/tests/iTunes/fixtures/"
            + "inAppPurchaseInvalidReceiptResponse.json"
        )) == 21002)
  }

  @Test("a recording of exchanges is no answer") func aRecordingOfExchangesIsNoAnswer() throws {
    let error = #expect(throws: ImportError.self) {
      try receipt("\(StoreFiles.cassettes)/receipt.json")
    }
    #expect(try #require(error).code == .otherFormat)
  }

  @Test("old transactions left out or not are the same purchases")
  func oldTransactionsLeftOutOrNotAreTheSamePurchases() throws {
    var log = IdempotentLog()
    let whole = try events(try answers("exclude_old_transactions_false").first)
    let short = try events(try answers("exclude_old_transactions").first)
    _ = try log.append(short)
    #expect(try log.append(whole) == 2, "the other import, and the renewal state of another moment")
    let periods = Array(log.events.values).of(.transactionPurchased, .subscriptionRenewed)
    #expect(periods.count == 3)
    #expect(Array(log.events.values).of(.subscriptionExpired).count == 1)
  }

  @Test("files imported in any order give one log") func filesImportedInAnyOrderGiveOneLog() throws
  {
    var answers: [(String, [UInt8]?)] = []
    for path in [StoreFiles.nineTransactions, StoreFiles.fortyTwo, StoreFiles.numbers] {
      answers.append((path, try StoreFiles.fixture(path)))
    }
    for name in [
      "receipt", "sandbox_receipt_to_auto", "auto_renewable_receipt", "exclude_old_transactions",
      "exclude_old_transactions_false",
    ] {
      answers.append((name, try self.answers(name).last))
    }
    var forwards = IdempotentLog()
    var backwards = IdempotentLog()
    for (name, answer) in answers { _ = try forwards.append(try events(answer, file: name)) }
    for (name, answer) in answers.reversed() {
      _ = try backwards.append(try events(answer, file: name))
    }
    #expect(Set(forwards.events.keys) == Set(backwards.events.keys))
    #expect(forwards.events.values.allSatisfy { $0.id.byteCount <= eventIDBytesMax })
  }

  @Test("forty two periods and the newer one are dated by the store")
  func fortyTwoPeriodsAndTheNewerOneAreDatedByTheStore() throws {
    let events = try receipt(StoreFiles.fortyTwo)
    let periods = events.of(.transactionPurchased, .subscriptionRenewed)
    #expect(periods.count == 43)
    #expect(periods.allSatisfy { $0.occurredAt < (events.first?.occurredAt ?? $0.occurredAt) })
    #expect(events.of(.subscriptionExpired).map(\.occurredAt) == [at("2021-01-20T13:05:00Z")])
    #expect(
      events.of(.subscriptionAutoRenewChanged).map { $0.data.boolean("autoRenew") } == [false])
  }

  @Test("numbers are read as written and restores give the purchase its date back")
  func numbersAreReadAsWrittenAndRestoresGiveThePurchaseItsDateBack() throws {
    let events = try receipt(StoreFiles.numbers)
    let periods = events.filter { $0.originalTransaction == "1000000093384828" }
      .of(.transactionPurchased, .subscriptionRenewed)
    #expect(periods.map(\.transaction) == ["1000000093384828", "1000000104232856"])
    #expect(periods.map(\.product) == ["myapp.2", "myapp.1"])
    #expect(
      periods.map(\.occurredAt) == [at("2013-11-14T10:20:44Z"), at("2014-03-12T10:15:06Z")])
  }

  @Test("a restored purchase is dated by its original") func aRestoredPurchaseIsDatedByItsOriginal()
    throws
  {
    let events = try events(try answers("receipt").last)
    #expect(
      events.of(.transactionPurchased).map(\.occurredAt) == [
        at("2014-08-04T06:24:51Z"), at("2014-09-02T03:29:06Z"),
      ])
  }

  @Test("files of other formats are refused with an explanation")
  func filesOfOtherFormatsAreRefusedWithAnExplanation() throws {
    for path in [
      "imdhemy+laravel-in-app-purchases/tests/Doubles/fixtures/iOS-receipt.json",
      "RevenueCat+purchases-ios/Tests/UnitTests/Resources/receipts/base64encodedreceiptsample1.txt",
    ] {
      let error = #expect(throws: ImportError.self) { try receipt(path) }
      #expect(try #require(error).code == .otherFormat)
    }
  }
}
