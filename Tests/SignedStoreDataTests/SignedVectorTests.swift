import Foundation
import LedgerEvents
import SignedDataSamples
import SwiftASN1
import Testing
import X509

@testable import SignedStoreData

/// The folder in which signed texts are exchanged with other programs.
private let folder = ProcessInfo.processInfo.environment["DAYBOOK_SIGNED_VECTORS"]

/// Signed texts for and from `Tools/signed`, which makes and judges them with Python's cryptography
/// and with OpenSSL. `Tools/independent` runs all three in turn.
@Suite(
  "Signed data beside other implementations",
  .enabled(if: folder != nil, "skipped: DAYBOOK_SIGNED_VECTORS names no folder"))
struct SignedVectorTests {
  /// A signed text, its root, and whether it is to be believed.
  private struct Vector: Codable {
    var name: String
    var jws: String
    var root: Data
    var believed: Bool
  }

  private func file(_ name: String) throws -> URL {
    URL(filePath: try #require(folder)).appending(path: name)
  }

  /// Expects the verdict of the vector.
  private func judge(_ vector: Vector) throws {
    let verifier = SignedDataVerifier(
      app: ExpectedApp(bundleID: SigningSamples.bundleID, environments: [.production]),
      roots: try TrustedRoots(der: [Array(vector.root)]))
    do {
      _ = try verifier.verify(Array(vector.jws.utf8), at: SigningSamples.now)
      #expect(vector.believed, "\(vector.name) is believed")
    } catch {
      #expect(!vector.believed, "\(vector.name): \(error)")
    }
  }

  @Test("believes what they make, and nothing that they make wrong") func theirs() throws {
    let lines = try String(contentsOf: try file("theirs.jsonl"), encoding: .utf8)
      .split(separator: "\n")
    let vectors = try lines.map { try JSONDecoder().decode(Vector.self, from: Data($0.utf8)) }
    #expect(vectors.count { $0.believed } == 1)
    #expect(vectors.count > 5)
    for vector in vectors { try judge(vector) }
  }

  @Test("is judged by them as it is here") func ours() throws {
    func recipe(_ change: (inout ChainRecipe) -> Void) -> ChainRecipe {
      var recipe = ChainRecipe()
      change(&recipe)
      return recipe
    }
    let recipes: [(String, ChainRecipe)] = [
      ("right", ChainRecipe()),
      ("expired", recipe { $0.leafDates.1 = "2023-05-01T00:00:00Z" }),
      ("not yet valid", recipe { $0.leafDates.0 = "2023-07-01T00:00:00Z" }),
      ("an expired intermediate", recipe { $0.intermediateDates.1 = "2023-05-01T00:00:00Z" }),
      ("an expired root", recipe { $0.rootDates.1 = "2023-05-01T00:00:00Z" }),
      ("no mark of the leaf", recipe { $0.leafMark = nil }),
      ("no mark of the intermediate", recipe { $0.intermediateMark = nil }),
      (
        "an authority as leaf",
        recipe { $0.leafConstraints = .isCertificateAuthority(maxPathLength: nil) }
      ),
      ("no authority", recipe { $0.intermediateConstraints = .notCertificateAuthority }),
      (
        "a root that allows no intermediate",
        recipe { $0.rootConstraints = .isCertificateAuthority(maxPathLength: 0) }
      ),
      ("a usage of the leaf", recipe { $0.leafUsage = .init(keyAgreement: true) }),
      (
        "a usage of the intermediate",
        recipe { $0.intermediateUsage = .init(digitalSignature: true) }
      ),
      ("no usages", recipe { ($0.leafUsage, $0.intermediateUsage) = (nil, nil) }),
      ("a forged leaf", recipe { $0.leafSigner = "other" }),
      ("a forged intermediate", recipe { $0.intermediateSigner = "other" }),
      (
        "an unknown critical extension",
        recipe { $0.moreOfLeaf = [.init(oid: [1, 2, 3], critical: true, value: [5, 0])] }
      ),
    ]
    var vectors: [Vector] = []
    for (name, recipe) in recipes {
      let samples = try SigningSamples(recipe)
      vectors.append(
        Vector(
          name: name,
          jws: String(
            decoding: try samples.jws(SigningSamples.transaction()), as: UTF8.self),
          root: Data(samples.der[2]), believed: ["right", "no usages"].contains(name)))
    }
    let (right, other) = (vectors[0], try SigningSamples().der[2])
    vectors.append(
      Vector(name: "the same root again", jws: right.jws, root: Data(other), believed: true))
    let text = Array(right.jws.utf8)
    for place in [text.count - 60, text.count - 20] {
      let changed = String(decoding: SigningSamples.changed(text, at: place), as: UTF8.self)
      vectors.append(
        Vector(name: "another signature", jws: changed, root: right.root, believed: false))
    }
    for vector in vectors { try judge(vector) }
    let encoder = JSONEncoder()
    let lines = try vectors.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }
    try Data(lines.joined().utf8).write(to: try file("ours.jsonl"))
  }
}
