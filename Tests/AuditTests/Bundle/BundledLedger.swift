import Foundation
import LMDB
import LedgerEvents
import LedgerHistories
import LedgerQueries

@testable import Audit

/// A ledger in its own folder, which is removed with it, and bundles made from the ledger.
final class BundledLedger {
  private let path: String
  private let ledger: Ledger
  static let origin = "ledger.example/purchases"
  let signer: NoteSigner

  /// The first `folded` events are in the projections, the others in the tail.
  init(_ events: [RecordedEvent], folded: Int = 0) throws {
    path = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    // Nothing is synced, because these tests do not depend on the disk.
    ledger = try Ledger.create(at: path, options: Environment.Options(sync: .onRequest))
    signer = try NoteSigner(name: Self.origin)
    if folded > 0 { try append(events.prefix(folded)) }
    try ledger.fold()
    if folded < events.count { try append(events.dropFirst(folded)) }
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("left \(path)") }
  }

  func append(_ events: some Sequence<RecordedEvent>) throws {
    let batch = events.map { recorded in
      EventInput(event: recorded.event, position: 1, recordedAt: recorded.recordedAt)
    }
    try ledger.appendAndWait(batch, options: AppendOptions(trustsRecordedAt: true))
  }

  /// Returns the events that a replay of the ledger folds.
  func events(of account: Name, in slice: ReplaySlice = ReplaySlice()) throws -> ReplayEvents {
    var slice = slice
    slice.account = account
    return try ledger.read { (view) throws(LedgerError) in try view.replayEvents(slice) }
  }

  /// Returns the lines of a bundle, without their line feeds.
  func bundle(
    of account: Name, in slice: ReplaySlice = ReplaySlice(), disclosing: Set<Name> = []
  ) throws -> [[UInt8]] {
    let contents = try ledger.read { (view) throws(LedgerError) in
      try view.bundleContents(of: account, in: slice, disclosing: disclosing)
    }
    return try lines(of: contents)
  }

  /// Returns the lines of a bundle that leaves out the events at some positions, with the right
  /// proof for the rest.
  func bundle(of account: Name, without positions: Set<UInt64>) throws -> [[UInt8]] {
    let contents = try ledger.read { (view) throws(LedgerError) in
      let whole = try view.bundleContents(of: account)
      let rest = whole.leaves.filter { !positions.contains($0.position) }
      return BundleContents(
        account: whole.account, size: whole.size, root: whole.root,
        eventCount: rest.count { $0.role != .names }, disclosed: [], leaves: rest,
        proof: try view.log.multiProof(of: rest.map(\.position), size: whole.size))
    }
    return try lines(of: contents)
  }

  private func lines(of contents: BundleContents) throws -> [[UInt8]] {
    let checkpoint = try contents.sign(with: signer)
    var lines: [[UInt8]] = []
    try ledger.read { (view) throws(LedgerError) in
      try view.writeBundle(contents, signed: checkpoint) { line in
        lines.append(line.dropLast())
        return true
      }
    }
    return lines
  }
}

extension IncidentBundle {
  /// Reads a bundle from its lines.
  static func read(_ lines: some Sequence<[UInt8]>) throws(ProofError) -> IncidentBundle {
    var reader = BundleReader()
    for line in lines { try reader.read(line) }
    return try reader.finish()
  }
}
