internal import LMDB
package import LedgerEvents
internal import LedgerModel

/// The texts of a log for the reducer: names by number, and ids by position.
///
/// The reducer needs them to sort answers and to break ties by byte order, which is rare. It cannot
/// throw, so a failure is kept here, and the caller of the fold throws it.
package final class LogTexts: FactTexts {
  let log: EventLog
  private var names: [NameNumber: Name] = [:]
  private(set) var failure: LedgerError?

  /// The number of names at which the cache is emptied. Names that are being folded, such as those
  /// of products, are needed again and again.
  private static let namesMax = 100_000

  init(_ log: EventLog) { self.log = log }

  package func id(ofPosition position: UInt64) -> Name {
    attempt { (view) throws(LedgerError) in
      let record = try view.record(at: position, isChecked: false)
      do throws(RecordError) { return try record.id() } catch {
        throw LedgerError(error, at: position)
      }
    }
  }

  package func text(of number: NameNumber) -> Name {
    if let known = names[number] { return known }
    var isPersonal = false
    let name = attempt { (view) throws(LedgerError) in
      let use = try view.name(number)
      isPersonal = use.kind.isPersonal
      return use.name
    }
    // A person's name is not cached, because it may be erased meanwhile.
    if isPersonal { return name }
    if names.count >= Self.namesMax { names.removeAll(keepingCapacity: true) }
    names[number] = name
    return name
  }

  /// The key of an account's row of answers, by which its name is found; `nil` if the account was
  /// erased, because the name may be somebody else's by now.
  func answerKey(of account: NameNumber) throws(LedgerError) -> [UInt8]? {
    try log.read { (view) throws(LedgerError) in
      let name = try view.sealedName(account)
      if try view.isErased(name.slot) { return nil }
      return [UInt8](copying: NameSeal.answerKey(name.hash).span)
    }
  }

  /// The key that an account's row of answers had until one of the given erasures erased it; `nil`
  /// if none of them did. After an earlier erasure, the name may be somebody else's.
  func answerKey(
    of account: NameNumber, erasedAt positions: Set<UInt64>
  ) throws(LedgerError) -> [UInt8]? {
    try log.read { (view) throws(LedgerError) in
      let name = try view.sealedName(account)
      guard !name.slot.isForgotten, let position = try view.erasure(of: name.slot.taken),
        positions.contains(position)
      else { return nil }
      return [UInt8](copying: NameSeal.answerKey(name.hash).span)
    }
  }

  /// Throws the failure that a fold could not throw.
  package func check() throws(LedgerError) {
    if let failure { throw failure }
  }

  private func attempt(_ body: (LogView) throws(LedgerError) -> Name) -> Name {
    do throws(LedgerError) { return try log.read(body) } catch {
      failure = failure ?? error
      return ""
    }
  }
}
