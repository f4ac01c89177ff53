import Foundation
import LedgerEvents
import SignedDataSamples
import SwiftASN1
import Testing
import X509

@testable import SignedStoreData

/// The folder in which signed texts are exchanged with other programs.
private let folder = ProcessInfo.processInfo.environment["DAYBOOK_SIGNED_VECTORS"]

/// Receipts for and from `Tools/signed`, which makes and judges them with OpenSSL.
@Suite(
  "Receipts beside other implementations",
  .enabled(if: folder != nil, "skipped: DAYBOOK_SIGNED_VECTORS names no folder"))
struct ReceiptSignedVectorTests {
  /// A receipt, its root, and whether it is to be believed.
  private struct Vector: Codable {
    var name: String
    var receipt: Data
    var root: Data
    var believed: Bool
    /// What is signed, and when, for those who judge it.
    var content: Data?
    var at: Int64?
  }

  private func file(_ name: String) throws -> URL {
    URL(filePath: try #require(folder)).appending(path: name)
  }

  /// Expects the verdict of the vector.
  private func judge(_ vector: Vector) throws {
    let verifier = SignedDataVerifier(
      app: ExpectedApp(bundleID: ReceiptSamples.bundleID, environments: [.production]),
      roots: try TrustedRoots(der: [Array(vector.root)]))
    do {
      _ = try verifier.verify(receipt: Array(vector.receipt), at: ReceiptSamples.now)
      #expect(vector.believed, "\(vector.name) is believed")
    } catch {
      #expect(!vector.believed, "\(vector.name): \(error)")
    }
  }

  @Test("believes what OpenSSL makes as the store does, and nothing else") func theirs() throws {
    let lines = try String(contentsOf: try file("their-receipts.jsonl"), encoding: .utf8)
      .split(separator: "\n")
    let vectors = try lines.map { try JSONDecoder().decode(Vector.self, from: Data($0.utf8)) }
    #expect(vectors.count { $0.believed } == 4)
    #expect(vectors.count > 10)
    for vector in vectors { try judge(vector) }
  }

  @Test("is judged by OpenSSL as it is here") func ours() throws {
    let attributes = ReceiptSamples.attributes()
    let content = Data(ReceiptSamples.content(attributes))
    let at = SigningSamples.instant(ReceiptSamples.createdAt).microseconds / Instant.second
    func vector(
      _ name: String, _ believed: Bool, _ samples: ReceiptSamples,
      _ change: (inout ReceiptForm) -> Void = { _ in }
    ) throws -> Vector {
      var form = ReceiptForm()
      change(&form)
      return Vector(
        name: name, receipt: Data(try samples.receipt(attributes, form)),
        root: Data(samples.der[2]), believed: believed, content: content, at: at)
    }
    func changed(_ change: (inout ReceiptChainRecipe) -> Void) throws -> ReceiptSamples {
      var recipe = ReceiptChainRecipe()
      change(&recipe)
      return try ReceiptSamples(recipe)
    }
    let right = try ReceiptSamples()
    var vectors = [
      try vector("right", true, right),
      try vector("BER", true, right) { $0.isUnbounded = true },
      try vector("SHA-1", true, right) { $0.digest = .sha1 },
      try vector("SHA-1 and certificates with it", true, try .historic()) { $0.digest = .sha1 },
      try vector("another key", false, right) { $0.key = ReceiptKeys.other },
      try vector("another digest", false, right) { $0.digestIdentifier = [1, 3, 14, 3, 2, 26] },
      try vector("expired", false, try changed { $0.leafDates.1 = "2023-09-01T00:00:00Z" }),
      try vector("an early leaf", false, try changed { $0.leafDates.0 = "2023-09-03T00:00:00Z" }),
      try vector(
        "an expired root", false, try changed { $0.rootDates.1 = "2023-09-01T00:00:00Z" }),
      try vector("no mark of the leaf", false, try changed { $0.leafMark = nil }),
      try vector("no mark of the intermediate", false, try changed { $0.intermediateMark = nil }),
      try vector("a forged leaf", false, try changed { $0.leafSigner = ReceiptKeys.other }),
      try vector(
        "a forged intermediate", false, try changed { $0.intermediateSigner = ReceiptKeys.other }),
      try vector(
        "no authority", false,
        try changed { $0.intermediateConstraints = .notCertificateAuthority }),
    ]
    for index in [0, 1] {
      var changed = vectors[index]
      let start = try #require(changed.receipt.firstRange(of: Data("com.example.pro".utf8)))
      changed.receipt[start.lowerBound] ^= 1
      (changed.name, changed.believed) = ("other content", false)
      vectors.append(changed)
    }
    for vector in vectors { try judge(vector) }
    let encoder = JSONEncoder()
    let lines = try vectors.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }
    try Data(lines.joined().utf8).write(to: try file("our-receipts.jsonl"))
  }
}
