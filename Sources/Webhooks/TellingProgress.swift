internal import Foundation
internal import GRDB
internal import LedgerModel

/// How far changes have been told, with the ledger's state that was told last.
struct TellingProgress: Codable, Equatable {
  /// A walk through all customers, piece by piece.
  struct Walk: Codable, Equatable {
    /// The next unit.
    var next: UInt32 = 0
    /// Whether differences are told, or only noted as the state from which changes are told.
    var tellsAnswers: Bool
    var tellsFindings: Bool
    /// What it finds comes of events after this position; nil if another version of the program has
    /// begun it.
    var after: UInt64?
  }

  /// Every event up to this position was looked at.
  var position: UInt64
  /// The root of the log's tree there, by which a log that was put back is noticed.
  var root: [UInt8]
  /// The projections' generation: another one may come from other rules.
  var generation: UInt64
  /// What changes by time alone was told up to this store time.
  var at: Int64
  /// Whether findings are known in ``WebhookDatabase``.
  var tracksFindings: Bool
  /// Under way; nil if there is none.
  var walk: Walk?

  /// The progress of a ledger; nil before anything was told.
  static func saved(in database: Database) throws -> TellingProgress? {
    try String.fetchOne(database, sql: "SELECT content FROM progress").map(Self.init(text:))
  }

  func text() throws -> String {
    String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
  }

  init(text: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
  }

  init(
    position: UInt64, root: [UInt8], generation: UInt64, at: Int64, tracksFindings: Bool,
    walk: Walk?
  ) {
    (self.position, self.root, self.generation) = (position, root, generation)
    (self.at, self.tracksFindings, self.walk) = (at, tracksFindings, walk)
  }
}
