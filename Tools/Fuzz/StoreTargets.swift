import Crypto
import Foundation
import LedgerEvents
import LedgerLog
import LedgerStore
import RunStorage

/// The store's own files: blocks and lists of sorted runs, backups in one file, and whole logs with
/// their meta pages, key file and kept root.
///
/// Where a file has a checksum or a digest, it is made right again, too: somebody who can write the
/// file can do that.
extension Target {
  static func stores(_ samples: Samples) throws -> [Target] {
    let made = try StoreSamples(samples)
    return [runs(), manifests(), backups(made), increments(made), try logs(made)]
  }

  // MARK: - Sorted runs

  /// A first entry, and the block that is stored under it.
  private static func runs() -> Target {
    var random = Mutator(seed: 2, iteration: 0)
    let samples = [1, 3, 700, 4_096].flatMap { count in
      [0, 1 << 10, UInt64.max / UInt64(count + 1)].map { distance -> [UInt8] in
        var key: UInt64 = 5
        let entries = (0..<count).map { index -> RunEntry in
          if distance > 0 { key += 1 + random.next() % distance }
          return RunEntry(key: key, value: distance == 0 ? UInt32(index) : UInt32(index % 7))
        }
        let block = RunBlock.encoded(entries, of: 3).flatMap { word in
          (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
        }
        return little(entries[0].key, 8) + little(UInt64(entries[0].value), 4) + block
      }
    }
    return Target("runs", samples) { bytes in
      guard bytes.count > 12 else { return false }
      let first = RunEntry(
        key: number(bytes[..<8]), value: UInt32(truncatingIfNeeded: number(bytes[8..<12])))
      let block = Array(bytes[12...])
      var isRight = false
      for isChecked in [false, true] {
        do throws(RunsError) {
          func entries(_ lower: UInt64, _ upper: UInt64) throws(RunsError) -> [RunEntry] {
            try RunBlock.entries(
              of: block.span, run: 3, first: first, from: lower, through: upper,
              isChecked: isChecked)
          }
          let all = try entries(0, .max)
          if !isChecked { isRight = true }
          let (lower, upper) = (all[all.count / 3].key, all[all.count / 2].key)
          let part = try entries(lower, upper)
          guard part == all.filter({ ($0.key >= lower) && $0.key <= upper }) else {
            throw RunsError.corrupt(differs)
          }
        } catch {
          try Broken.unless(!error.message.isEmpty, "an error without a message")
          try Broken.unless(!error.message.hasPrefix(differs), error.message)
        }
      }
      return isRight
    }
  }

  private static let differs = "A part of a block differs from the whole"

  private static func manifests() -> Target {
    func file(_ words: [UInt64]) -> [UInt8] { words.flatMap { little($0, 8) } }
    let mark = RunManifest().words[0]
    func run(_ id: UInt64) -> [UInt64] { [id | 1 << 32, 20, 160, 3, 90, 7] }
    // Two runs that are merged into a third one, and one whose rows are deleted.
    var full: [UInt64] = [mark, 9, 6 | 2 << 32, 1 | 1 << 32]
    for id in [1, 2, 4] as [UInt64] { full += run(id) }
    full += [2, 1, 2, 3]
    func sealed(_ content: [UInt8]) -> [UInt8] { content + little(XXH64.hash(content.span), 8) }
    return Target("manifests", [file(RunManifest().words), sealed(file(full))]) { bytes in
      var isRight = false
      for bytes in [bytes, sealed(bytes.dropLast(8))] {
        do throws(RunsError) {
          let manifest = try RunManifest(bytes.span)
          isRight = true
          guard try RunManifest(file(manifest.words.map(\.littleEndian)).span) == manifest else {
            throw RunsError.corrupt(differs)
          }
        } catch {
          try Broken.unless(!error.message.isEmpty, "an error without a message")
          try Broken.unless(!error.message.hasPrefix(differs), error.message)
        }
      }
      return isRight
    }
  }

  // MARK: - Backups

  private static func backups(_ made: StoreSamples) -> Target {
    Target("backups", [made.full], tokens: bytes, inputsPerRound: 50) { bytes in
      try anyRight(bytes) { bytes in
        let backup = try Workplace.make("backup")
        let path = try Workplace.make("restored")
        for folder in [backup, path] {
          try FileManager.default.createDirectory(
            atPath: folder + "/log", withIntermediateDirectories: true)
        }
        try Workplace.write(bytes, to: backup + "/log/full")
        return try refusedOr {
          () throws(LedgerError) in
          try EventLog.make(at: path, mode: 0o600, fromFullIn: backup, nil)
        }
      }
    }
  }

  private static func increments(_ made: StoreSamples) -> Target {
    Target("increments", [made.increment], tokens: bytes, inputsPerRound: 30) { bytes in
      try anyRight(bytes) { bytes in
        let backup = try Workplace.make("increment")
        let path = try Workplace.make("restored")
        for folder in [backup, path] {
          try FileManager.default.createDirectory(
            atPath: folder + "/log", withIntermediateDirectories: true)
        }
        try Workplace.write(bytes, to: backup + "/log/increment")
        try Workplace.write(made.base, to: path + "/log/data.mdb")
        return try refusedOr {
          () throws(LedgerError) in
          let log = try EventLog(open: path, access: .readWrite, keysIn: nil)
          do throws(LedgerError) { try log.apply(incrementIn: backup, nil) } catch {
            try log.close()
            throw error
          }
          try log.close()
          return true
        }
      }
    }
  }

  /// Checks the file as it is, and with the digest that its bytes have.
  private static func anyRight(
    _ bytes: [UInt8], _ check: ([UInt8]) throws -> Bool
  ) throws -> Bool {
    let content = Array(bytes.dropLast(SHA256.byteCount))
    let sealed = content + Array(SHA256.hash(data: content))
    if sealed == bytes { return try check(bytes) }
    try Broken.unless(try !check(bytes), "a file without its digest was accepted")
    return try check(sealed)
  }

  private static func refusedOr(_ body: () throws(LedgerError) -> Bool) throws -> Bool {
    do throws(LedgerError) { return try body() } catch {
      try Broken.unless(!error.message.isEmpty, "an error without a message")
      return false
    }
  }

  // MARK: - Damaged ledgers

  /// Damage to the files of a ledger: the input says what to change. What the page check finds in
  /// order can be opened, and what salvage writes is sound.
  private static func logs(_ made: StoreSamples) throws -> Target {
    let edits = [
      [], LogDamage.edit(.flip, at: 144, 1), LogDamage.edit(.flip, at: 4_240, 1),
      LogDamage.edit(.zero, at: 8_192, 0), LogDamage.edit(.copy, at: 12_288, 3),
    ]
    return Target("logs", edits, tokens: LogDamage.tokens, inputsPerRound: 40) { bytes in
      let path = try Workplace.make("damaged")
      try LogDamage(made.files).write(bytes, to: path)
      let isWhole = try refusedOr {
        () throws(LedgerError) in try EventLog.damagedPages(path).isEmpty
      }
      let saved = "\(Workplace.folder)/saved"
      try Workplace.remove(saved)
      do throws(LedgerError) {
        if bytes.reduce(0, &+) % 8 == 0 {
          let report = try Ledger.salvage(path, into: saved).report
          try unless(report.kept <= report.lastPosition, "salvage kept more than there was")
        } else {
          _ = try LogSalvage(path, keyFile: nil).report
        }
      } catch {
        try Broken.unless(!error.message.hasPrefix("The copy is not"), "salvage: \(error.message)")
        try Broken.unless(!error.message.hasPrefix("salvage kept"), error.message)
      }
      guard isWhole else { return false }
      return try refusedOr {
        () throws(LedgerError) in
        let log = try EventLog.toVerify(path)
        let found = try log.verify()
        try log.close()
        return found.faults.isEmpty
      }
    }
  }

  private static func unless(_ holds: Bool, _ what: String) throws(LedgerError) {
    if !holds { throw LedgerError.corrupt(what) }
  }

  // MARK: - Numbers

  static func little(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }

  static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
