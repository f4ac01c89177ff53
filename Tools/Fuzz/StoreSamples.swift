import AgeFiles
import Foundation
import LedgerEvents
import LedgerLog
import LedgerStore

/// The files of a small ledger in which somebody was erased, and its backups.
struct StoreSamples {
  /// A full backup in one file.
  let full: [UInt8]
  /// The log that is restored from it.
  let base: [UInt8]
  /// What came after it.
  let increment: [UInt8]
  /// The log, the key file and the kept root, by their paths in the ledger's folder.
  let files: [(name: String, bytes: [UInt8])]

  private static let eventCount = 60
  private static let laterCount = 20

  init(_ samples: Samples) throws {
    let folder = try Workplace.make("samples")
    let path = folder + "/ledger"
    let ledger = try Ledger.create(at: path)
    let events = samples.events.prefix(Self.eventCount + Self.laterCount)
    try ledger.appendAndWait(events.prefix(Self.eventCount).map { EventInput(event: $0) })
    if let account = events.lazy.compactMap(\.account).first {
      var erasure = Event(
        id: "fuzz-erasure", type: EventType(.accountErased),
        occurredAt: events.map(\.occurredAt).max() ?? Instant(microseconds: 0))
      erasure.source = EventSource(.operator)
      erasure.account = account
      try ledger.erase(erasure)
    }
    var random = Mutator(seed: 3, iteration: 0)
    let identity = AgeIdentity(using: &random)
    let made = try ledger.backUp(
      to: folder + "/full", encryption: .recipients([identity.recipient]))
    full = try AgeFile.open(
      try Workplace.read(folder + "/full/log/full.age"), with: .identities([identity]))
    try ledger.appendAndWait(events.dropFirst(Self.eventCount).map { EventInput(event: $0) })
    _ = try ledger.backUp(since: made.position, to: folder + "/increment")
    increment = try Workplace.read(folder + "/increment/log/increment")
    try ledger.close()
    files = try ["log/data.mdb", "keys", "root"].map { name in
      (name, try Workplace.read("\(path)/\(name)"))
    }
    let base = try Workplace.make("samples/base/log")
    try Workplace.write(full, to: folder + "/full/log/full")
    try Workplace.remove(folder + "/full/log/full.age")
    _ = try EventLog.make(
      at: folder + "/base", mode: 0o600, fromFullIn: folder + "/full", nil)
    self.base = try Workplace.read(base + "/data.mdb")
  }
}

/// Damage to the files of a ledger, as the input of a target says it: eight bytes for each change.
///
/// ```
/// 0  the file, modulo their number; the first one is the log
/// 1  the kind of change, modulo their number
/// 2  where, 4 bytes, little-endian, modulo the length of the file
/// 6  a value
/// 7  the number of bytes, less one
/// ```
struct LogDamage {
  /// A kind of change.
  enum Kind: UInt8, CaseIterable {
    /// Bits are flipped by the value.
    case flip
    /// Bytes get the value.
    case set
    /// A page becomes zeros.
    case zero
    /// The page with the number of the value is written over this one.
    case copy
    /// The file ends there.
    case cut
    /// A byte of one of the meta pages gets the value.
    case meta
  }

  private let files: [(name: String, bytes: [UInt8])]

  private static let editBytes = 8
  private static let pageBytes = 4_096

  init(_ files: [(name: String, bytes: [UInt8])]) { self.files = files }

  /// The bytes of a change to the log.
  static func edit(_ kind: Kind, at offset: UInt32, _ value: UInt8) -> [UInt8] {
    [0, kind.rawValue] + Target.little(UInt64(offset), 4) + [value, 0]
  }

  /// One change of each kind.
  static let tokens: [[UInt8]] =
    Kind.allCases.map { edit($0, at: 100, 1) } + [[0xFF], [0], [1], [16, 0, 0, 0]]

  /// Writes the files with the changes.
  func write(_ edits: [UInt8], to folder: String) throws {
    var files = self.files
    var start = 0
    while start + Self.editBytes <= edits.count {
      let edit = edits[start..<start + Self.editBytes]
      start += Self.editBytes
      let file = Int(edit[edit.startIndex]) % files.count
      Self.apply(edit, to: &files[file].bytes)
    }
    try FileManager.default.createDirectory(
      atPath: folder + "/log", withIntermediateDirectories: true)
    for file in files { try Workplace.write(file.bytes, to: "\(folder)/\(file.name)") }
  }

  private static func apply(_ edit: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    let at = edit.startIndex
    let kind = Kind.allCases[Int(edit[at + 1]) % Kind.allCases.count]
    let offset = Int(Target.number(edit[at + 2..<at + 6])) % bytes.count
    let value = edit[at + 6]
    let end = min(bytes.count, offset + Int(edit[at + 7]) + 1)
    let page = offset / pageBytes * pageBytes
    let whole = page..<min(bytes.count, page + pageBytes)
    switch kind {
    case .flip: for index in offset..<end { bytes[index] ^= value }
    case .set: for index in offset..<end { bytes[index] = value }
    case .zero: for index in whole { bytes[index] = 0 }
    case .copy:
      let other = Int(value) * pageBytes
      guard other + pageBytes <= bytes.count, whole.count == pageBytes else { return }
      bytes.replaceSubrange(whole, with: Array(bytes[other..<other + pageBytes]))
    case .cut: bytes.removeSubrange(offset...)
    case .meta:
      let index = offset % (2 * pageBytes) / pageBytes * pageBytes + offset % 152
      if index < bytes.count { bytes[index] = value }
    }
  }
}
