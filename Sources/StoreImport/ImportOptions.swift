public import LedgerEvents

/// What the one who imports knows and the file does not say.
public struct ImportOptions: Sendable {
  /// The file's name; of a path the last part, so that one file is one file from every folder.
  public var fileName: String
  /// Whose purchases they are; stated on every fact of a receipt.
  public var account: Name?
  /// The bundle identifier. A receipt says its own, and a different one here is an error.
  public var app: Name?
  /// The environment of a receipt that does not say it. Without it such facts state none, and the
  /// model finds it (`model.md`, *Environment*).
  public var environment: StoreEnvironment?

  public init(
    fileName: String, account: Name? = nil, app: Name? = nil, environment: StoreEnvironment? = nil
  ) {
    self.fileName = fileName
    self.account = account
    self.app = app
    self.environment = environment
  }

  /// The last part of `fileName`.
  var baseName: String {
    fileName.utf8.split(separator: UInt8(ascii: "/")).last.map { String($0) ?? fileName }
      ?? fileName
  }
}

/// From when a catalogue counts.
public enum EffectiveTime: Sendable {
  /// Someone said so: another time of the same file is another catalogue, with ids of its own.
  case stated(Instant)
  /// Nobody said, and this is the time of the import. The ids do not depend on it: where the ledger
  /// has the first event's id already, give that event's `occurredAt` here, and the same file gives
  /// the same events.
  case imported(Instant)

  var instant: Instant {
    switch self {
    case .stated(let instant), .imported(let instant): instant
    }
  }
}
