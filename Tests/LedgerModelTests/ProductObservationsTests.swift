import LedgerEvents
import LedgerHistories
import ModelComparison
import Testing

@testable import LedgerModel

@Suite("What all units observed of a product") struct ProductObservationsTests {
  private let texts = FoldedLedger([])

  @Test("judges versions and digests as the rules say, in whatever order they come")
  func judges() {
    var found = (increased: 0, notIncreased: 0, same: 0, different: 0)
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var all = ProductObservations()
      var versions: [VersionObservation] = []
      var installs: [InstalledDigest] = []
      for _ in 0..<40 {
        let observed = observation(&random)
        let install = install(&random)
        if random.chance(1, in: 3) {
          versions.append(observed)
          _ = all.add(observed, texts)
        } else if random.chance(1, in: 2) {
          installs.append(install)
          _ = all.add(install, texts)
        }
        let published = PublishedVersion(
          product: 1, version: observed.version, key: observed.key, finding: finding)
        let isNotIncreased = all.isNotIncreased(published, texts)
        let isHigherKnown = versions.contains {
          $0.key.precedes(published.key, texts)
            && VersionOrder.compare($0.version, published.version) >= 0
        }
        #expect(isNotIncreased == isHigherKnown, "seed \(seed)")
        let isMismatch = all.isMismatch(install, texts)
        let isAnotherKnown = installs.contains {
          $0.key.precedes(install.key, texts) && $0.pathHash == install.pathHash
            && VersionOrder.compare($0.version, install.version) == 0
            && $0.digest != install.digest
        }
        #expect(isMismatch == isAnotherKnown, "seed \(seed)")
        if isNotIncreased { found.notIncreased += 1 } else { found.increased += 1 }
        if isMismatch { found.different += 1 } else { found.same += 1 }
      }
    }
    // The control: each judgement was made often.
    #expect(min(found.increased, found.notIncreased, found.same, found.different) > 1_000)
  }

  private func observation(_ random: inout SeededRandom) -> VersionObservation {
    VersionObservation(product: 1, version: version(&random), key: key(&random))
  }

  private func install(_ random: inout SeededRandom) -> InstalledDigest {
    InstalledDigest(
      product: 1, version: version(&random), pathHash: random.one(of: [nil, 1]),
      digest: random.one(of: ["aa", "bb", "cc"]), key: key(&random), finding: finding)
  }

  private func version(_ random: inout SeededRandom) -> Name {
    random.one(of: ["1", "1.0", "01", "1.1", "1.01", "2", "2.0.0", "10", "1.0.2", "1..2", "b"])
  }

  /// The ids differ in their first bytes, so that no text is asked for.
  private func key(_ random: inout SeededRandom) -> FoldKey {
    let position = UInt64(1 + random.below(1_000_000_000))
    return FoldKey(
      time: Int64(random.below(30)), sequence: Int64(random.below(2)), idPrefix: position,
      position: position)
  }

  private var finding: Finding {
    Finding(
      rule: .digestMismatch, environment: .production, position: 1, occurredAt: 0, account: 0,
      device: 0, transaction: 0, product: 1)
  }
}
