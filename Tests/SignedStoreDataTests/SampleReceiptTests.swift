import Foundation
import LedgerEvents
import SignedDataSamples
import SwiftASN1
import Testing
import X509

@testable import SignedStoreData

/// The receipt in `Tools/samples`: the one that the answer beside it is about.
@Suite("The sample of a receipt") struct SampleReceiptTests {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Tools/samples")

  /// The app's receipt as the store would have signed it, under a root of the tests.
  private static func made() throws -> (receipt: [UInt8], root: String) {
    let file = Array(try Data(contentsOf: folder.appending(path: "sample-receipt.json")))
    let stated = try #require(try JSONValue(document: file)["receipt"])
    func value(_ name: String, in object: JSONValue) -> [UInt8] {
      text(object[name]?.string ?? "")
    }
    func time(_ name: String, in object: JSONValue) -> [UInt8] {
      let milliseconds = object["\(name)_ms"]?.string.flatMap { Int64($0) }
      return date(milliseconds.map { Instant(microseconds: $0 * 1_000).rfc3339 } ?? "")
    }
    func number(_ name: String, in object: JSONValue) -> [UInt8] {
      let text = object[name]?.string ?? ""
      return integer(Int64(text) ?? (text == "true" ? 1 : 0))
    }
    let purchases = (stated["in_app"]?.array ?? []).map { purchase in
      [
        attribute(1701, number("quantity", in: purchase)),
        attribute(1702, value("product_id", in: purchase)),
        attribute(1703, value("transaction_id", in: purchase)),
        attribute(1704, time("purchase_date", in: purchase)),
        attribute(1705, value("original_transaction_id", in: purchase)),
        attribute(1706, time("original_purchase_date", in: purchase)),
        attribute(1708, time("expires_date", in: purchase)),
        attribute(1711, number("web_order_line_item_id", in: purchase)),
        attribute(1712, time("cancellation_date", in: purchase)),
        attribute(1713, number("is_trial_period", in: purchase)),
        attribute(1719, number("is_in_intro_offer_period", in: purchase)),
      ]
    }
    let attributes =
      [
        attribute(0, value("receipt_type", in: stated)),
        attribute(2, value("bundle_id", in: stated)),
        attribute(3, value("application_version", in: stated)),
        attribute(12, time("receipt_creation_date", in: stated)),
        attribute(18, time("original_purchase_date", in: stated)),
        attribute(19, value("original_application_version", in: stated)),
      ] + purchases.map { attribute(17, ReceiptSamples.content([$0.joined()].map(Array.init))) }
    var recipe = ReceiptChainRecipe()
    recipe.rootName = "Root of Daybook's Samples"
    recipe.leafDates = ("2025-06-01T00:00:00Z", "2027-06-01T00:00:00Z")
    let samples = try ReceiptSamples(recipe)
    let receipt = try samples.receipt(attributes)
    let lines = Data(receipt).base64EncodedString(options: [
      .lineLength76Characters, .endLineWithLineFeed,
    ])
    return (
      Array("\(lines)\n".utf8), try samples.certificates[2].serializeAsPEM().pemString + "\n"
    )
  }

  @Test("is the one that is made here") func golden() throws {
    let (receipt, root) = try Self.made()
    for (name, bytes) in [("sample.receipt", receipt), ("sample-root.pem", Array(root.utf8))] {
      let url = Self.folder.appending(path: name)
      if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
        try Data(bytes).write(to: url)
      }
      #expect(try Data(contentsOf: url) == Data(bytes), "\(name)")
    }
  }

  @Test("is believed under its root, for its app") func believed() throws {
    let root = Array(try Data(contentsOf: Self.folder.appending(path: "sample-root.pem")))
    let file = Array(try Data(contentsOf: Self.folder.appending(path: "sample.receipt")))
    func verify(_ bundleID: String, _ roots: TrustedRoots) throws -> VerifiedReceipt {
      let app = ExpectedApp(bundleID: bundleID, environments: [.production])
      return try SignedDataVerifier(app: app, roots: roots)
        .verify(receipt: file, at: SigningSamples.now)
    }
    let roots = try TrustedRoots(file: root)
    #expect(try verify("com.example.tides", roots).receipt.purchases.count == 6)
    expectRefusal(.otherApp) { try verify("com.example.other", roots) }
    expectRefusal(.untrustedRoot, .root) { try verify("com.example.tides", .apple) }
  }
}
