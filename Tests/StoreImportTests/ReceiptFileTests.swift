import LedgerEvents
import SignedStoreData
import Testing

@testable import StoreImport

/// App receipts, read from the sample and from real ones.
private enum Receipts {
  static let now = at("2026-11-01T00:00:00Z")

  static func outcome(
    _ file: [UInt8], trust: SignatureTrust, options: ImportOptions? = nil
  ) throws(ImportError) -> [Event] {
    let options = options ?? ImportOptions(fileName: "Tools/sample.receipt", digestKey: digestKey)
    return try ReceiptImport(receipt: file, options: options, trust: trust).outcome().events
  }

  static func trust(
    _ app: String, roots: TrustedRoots = .apple,
    environments: Set<StoreEnvironment> = [.production, .sandbox]
  ) -> SignatureTrust {
    let app = ExpectedApp(bundleID: app, environments: environments)
    return .verified(SignedDataVerifier(app: app, roots: roots), at: now)
  }

  /// Returns the error of an import.
  static func refusal(
    _ file: [UInt8], trust: SignatureTrust, options: ImportOptions? = nil
  ) -> ImportError? {
    do throws(ImportError) {
      _ = try outcome(file, trust: trust, options: options)
      return nil
    } catch { return error }
  }

  /// The facts of an answer that a receipt also states.
  static func facts(ofAnswer file: [UInt8], name: String) throws -> [Event] {
    try VerifyReceipt.events(
      from: file, options: ImportOptions(fileName: name, digestKey: digestKey)
    ).filter { $0.type.kind != .importReceived }
  }
}

@Suite("The import of an app receipt") struct ReceiptFileTests {
  private let file: [UInt8]
  private let roots: TrustedRoots

  init() throws {
    file = try StoreFiles.sample("sample.receipt")
    roots = try TrustedRoots(file: StoreFiles.sample("sample-root.pem"))
  }

  private var trust: SignatureTrust { Receipts.trust("com.example.tides", roots: roots) }

  @Test("gives the same facts as the answer about it") func sameFacts() throws {
    let facts = try Receipts.outcome(file, trust: trust).dropFirst()
    let answer = try Receipts.facts(
      ofAnswer: StoreFiles.sample("sample-receipt.json"), name: "answer.json")
    var log = IdempotentLog()
    _ = try log.append(answer)
    // The reason of a refund stands in the answer alone.
    let news = facts.filter { log.events[$0.id] == nil }
    #expect(news.map(\.type.text) == ["transaction.refunded"])
    #expect(try log.append(Array(facts)) == 1)
    #expect(facts.count == 8)
    #expect(Set(facts.map(\.environment)) == [.production])
    #expect(Set(facts.map(\.app)) == ["com.example.tides"])
    #expect(facts.allSatisfy { $0.source == EventSource(.receipt) })
  }

  @Test("says whether it was verified") func received() throws {
    let verified = try #require(Receipts.outcome(file, trust: trust).first)
    let unverified = try #require(Receipts.outcome(file, trust: .unverified).first)
    #expect(verified.type == EventType(.importReceived))
    #expect(verified.data.string("format") == "receipt")
    #expect(verified.data.string("file") == "sample.receipt")
    #expect(verified.data.boolean("verified") == true)
    #expect(unverified.data.boolean("verified") == false)
    #expect(verified.id != unverified.id)
    #expect(verified.occurredAt == at("2026-02-17T12:00:05Z"))
    for (trust, stated) in [(trust, nil), (.unverified, false)] as [(SignatureTrust, Bool?)] {
      let facts = try Receipts.outcome(file, trust: trust).dropFirst()
      #expect(!facts.isEmpty && facts.allSatisfy { $0.data.boolean("verified") == stated })
    }
  }

  @Test("refuses what cannot be verified, with the reason") func refused() throws {
    let cases: [(SignatureTrust, String)] = [
      (Receipts.trust("com.example.tides"), "the chain ends at CN=Root of Daybook's Samples"),
      (Receipts.trust("com.example.other", roots: roots), "expected the app com.example.other"),
      (
        Receipts.trust("com.example.tides", roots: roots, environments: [.sandbox]),
        "expected the environment Sandbox, found Production"
      ),
      (.noApp, "it is not known which app the receipt must be of"),
    ]
    for (trust, reason) in cases {
      let error = try #require(Receipts.refusal(file, trust: trust))
      #expect(error.code == .notBelieved)
      #expect(error.file == "sample.receipt")
      #expect(error.reason.hasPrefix(reason), "\(error)")
      #expect(!error.remedy.isEmpty)
    }
  }

  @Test("refuses what is no receipt, and says what it may be") func others() throws {
    let json = try StoreFiles.sample("sample-receipt.json")
    let error = try #require(Receipts.refusal(json, trust: .unverified))
    #expect(error.code == .otherFormat)
    #expect(error.remedy.contains("import it as verify-receipt"))
    #expect(Receipts.refusal([], trust: .unverified)?.code == .notBelieved)
    let other = try #require(refusal(String(decoding: file, as: UTF8.self)))
    #expect(other.code == .otherFormat)
    #expect(other.description.contains("found an app's receipt. Import it as receipt."))
  }

  @Test("refuses an app or an environment that it does not state") func contradictions() {
    var options = ImportOptions(fileName: "a", digestKey: digestKey, app: "com.example.other")
    let app = Receipts.refusal(file, trust: .unverified, options: options)
    #expect(app?.code == .contradiction)
    #expect(app?.path == "receipt.bundle_id")
    options = ImportOptions(fileName: "a", digestKey: digestKey, environment: .sandbox)
    let environment = Receipts.refusal(file, trust: .unverified, options: options)
    #expect(environment?.code == .contradiction)
    #expect(environment?.path == "receipt.receipt_type")
  }
}

@Suite(
  "Real app receipts",
  .enabled(if: StoreFiles.hasFixtures, "skipped: no ../shared/fixtures beside the package"))
struct RealReceiptFileTests {
  private let recorded = "linjunpop+receipt_verifier/test/fixtures/receipts"

  @Test("give the same facts as the store's answer: nine transactions") func nineTransactions()
    throws
  {
    let file = try StoreFiles.fixture(
      "RevenueCat+purchases-ios/Tests/UnitTests/Resources/receipts/base64encodedreceiptsample1.txt")
    let facts = try Receipts.outcome(file, trust: Receipts.trust("com.revenuecat.sampleapp"))
      .dropFirst()
    var log = IdempotentLog()
    _ = try log.append(
      try Receipts.facts(ofAnswer: StoreFiles.fixture(StoreFiles.nineTransactions), name: "a"))
    #expect(Set(facts.map(\.transaction)).count == 9)
    #expect(facts.count >= 9)
    #expect(try log.append(Array(facts)) == 0)
  }

  @Test("give the same facts as the answers that were recorded for them") func recordings() throws {
    let files = [
      ("receipt", "receipt"), ("auto_renewable_receipt", "auto_renewable_receipt"),
    ]
    for (name, recording) in files {
      let file = try StoreFiles.fixture("\(recorded)/\(name)")
      let facts = try Receipts.outcome(file, trust: Receipts.trust("com.sumiapp.GridDiary"))
        .dropFirst()
      let answers = try StoreFiles.answers(
        inRecording: "\(StoreFiles.cassettes)/\(recording).json")
      var log = IdempotentLog()
      for answer in answers {
        // The first answer can be that the receipt was sent to the wrong environment.
        do { _ = try log.append(try Receipts.facts(ofAnswer: answer, name: "a")) } catch let error
          as ImportError
        { #expect(error.code == .refusedByStore) }
      }
      #expect(!log.events.isEmpty)
      #expect(!facts.isEmpty)
      #expect(try log.append(Array(facts)) == 0, "\(name)")
    }
  }

  @Test("of Xcode are read with all that they say") func xcode() throws {
    let folder = "apple+app-store-server-library-java/src/test/resources/xcode"
    let path = "\(folder)/xcode-app-receipt-with-transaction"
    let events = try Receipts.outcome(try StoreFiles.fixture(path), trust: .unverified)
    #expect(
      events.map(\.type.text) == [
        "import.received", "subscription.offerRedeemed", "transaction.purchased",
      ])
    #expect(events.allSatisfy { $0.environment == .xcode })
    #expect(events.last?.transaction == "0")
  }
}
