import Foundation
import LedgerEvents

@testable import StoreImport

/// The files that the tests read: our own samples, and real ones beside the project if they exist.
enum StoreFiles {
  static let packageRoot = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func sample(_ name: String) throws -> [UInt8] {
    try bytes(packageRoot.appending(path: "Tools/samples/\(name)"))
  }

  static func bytes(_ url: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }

  // MARK: - Real files

  static let fixtures = packageRoot.appending(path: "../shared/fixtures").standardizedFileURL

  static var hasFixtures: Bool { FileManager.default.fileExists(atPath: fixtures.path()) }

  static func fixture(_ path: String) throws -> [UInt8] {
    try bytes(fixtures.appending(path: path))
  }

  static func fixtures(ending: String) -> [URL] {
    guard let files = FileManager.default.enumerator(at: fixtures, includingPropertiesForKeys: nil)
    else { return [] }
    return files.compactMap { $0 as? URL }.filter { $0.lastPathComponent.hasSuffix(ending) }
      .sorted { $0.path() < $1.path() }
  }

  /// Returns the bodies of the answers in a recording of HTTP exchanges, in order.
  static func answers(inRecording path: String) throws -> [[UInt8]] {
    guard let exchanges = try StoreJSONReader.document(try fixture(path)).elements else {
      return []
    }
    return try exchanges.compactMap { exchange in
      let response = try StoreObject(exchange, path: "").object("response")
      return try response?.text("body").map { Array($0.utf8) }
    }
  }

  static let cassettes = "linjunpop+receipt_verifier/test/fixtures/vcr_cassettes"
  static let nineTransactions =
    "RevenueCat+purchases-ios/Tests/UnitTests/Resources/receipts/verifyReceiptSample1.txt"
  static let fortyTwo = "imdhemy+appstore-iap/tests/fixtures/verify_receipt_response.json"
  static let numbers =
    "aporat+store-receipt-validator/tests/iTunes/fixtures/inAppPurchaseResponse.json"
}

/// A ledger with regard to ids: an id is unique, and has one content.
struct IdempotentLog {
  struct Conflict: Error {
    var id: Name
  }

  private(set) var events: [Name: Event] = [:]

  /// Appends the events after encoding and decoding them, and returns how many were new.
  mutating func append(_ appended: [Event]) throws -> Int {
    var count = 0
    for event in appended {
      let read = try EventDecoder().decode(line: EventEncoder().encode(event)).event
      guard read.sameContent(as: event) else { throw Conflict(id: event.id) }
      if let known = events[read.id] {
        guard known.sameContent(as: read) else { throw Conflict(id: read.id) }
      } else {
        events[read.id] = read
        count += 1
      }
    }
    return count
  }
}

extension [Event] {
  func of(_ kinds: EventKind...) -> [Event] { filter { kinds.contains($0.type.kind) } }

  var ids: [String] { map(\.id.text) }
}

func at(_ text: String) -> Instant { Instant(rfc3339: text) ?? Instant(microseconds: -1) }

/// The key of digests in ids, as a ledger has one.
let digestKey = [UInt8](repeating: 7, count: 16)

/// Returns the events of an inline answer.
func receipt(
  _ text: String, account: Name? = nil, app: Name? = nil, environment: StoreEnvironment? = nil,
  askedAt: Instant? = nil
) throws(ImportError) -> [Event] {
  try outcome(text, account: account, app: app, environment: environment, askedAt: askedAt).events
}

/// Returns the outcome of an answer for a ledger with this knowledge.
func outcome(
  _ text: String, account: Name? = nil, isAccountOverToken: Bool = false, app: Name? = nil,
  environment: StoreEnvironment? = nil, askedAt: Instant? = nil,
  known: KnownPurchases = KnownPurchases(), recordsClaims: Bool = false
) throws(ImportError) -> ReceiptImport.Outcome {
  let options = ImportOptions(
    fileName: "answer.json", digestKey: digestKey, account: account,
    isAccountOverToken: isAccountOverToken, app: app,
    environment: environment, askedAt: askedAt)
  return try ReceiptImport(Array(text.utf8), options: options)
    .outcome(known, recordsClaims: recordsClaims)
}

/// Returns the error of an inline answer.
func refusal(
  _ text: String, app: Name? = nil, environment: StoreEnvironment? = nil, askedAt: Instant? = nil
) -> ImportError? {
  do throws(ImportError) {
    _ = try receipt(text, app: app, environment: environment, askedAt: askedAt)
    return nil
  } catch {
    return error
  }
}
