internal import LMDB
internal import LedgerEvents

/// Decides which events of a damaged log can be kept, from what each of them needs.
struct SalvagePlan {
  let source: SalvageSource
  let keys: SalvageKeys
  let proof: SalvageProof
  /// The last position of the damaged log, as far as is known.
  let last: UInt64
  /// The positions that are left out, each with the reason.
  private(set) var missing: [UInt64: String] = [:]
  /// Kept events whose personal data is lost.
  private(set) var textsLost: Set<UInt64> = []
  /// Kept names of people whose texts are lost.
  private(set) var namesLost: Set<NameNumber> = []
  /// Names of people, and positions of kept events, that were not erased and whose keys are zeros.
  private(set) var namesWithoutKey: Set<NameNumber> = []
  private(set) var textsWithoutKey: Set<UInt64> = []
  /// Names that neither the tree nor a key proves. Each of them may be another name than the one
  /// that was written.
  private(set) var namesUnproven: Set<NameNumber> = []
  /// The positions of kept events that use such a name.
  private(set) var usingUnproven: Set<UInt64> = []
  /// What was erased.
  let erasures: SalvagedErasures
  /// The last slot that has a key. A row with a higher slot is damaged.
  let lastSlot: UInt32

  private var names: [NameNumber: NameState] = [:]

  /// What is known about a name.
  private enum NameState {
    case good(NameKind)
    /// It never had a key, because the person had been erased before.
    case forgotten(NameKind)
    case bad(String)
  }

  init(_ source: SalvageSource, _ keys: SalvageKeys, kept: KeptRoot?, last: UInt64) {
    self.source = source
    self.keys = keys
    self.last = last
    lastSlot = keys.head == nil ? Self.slotsTaken(source, last) : keys.lastSlot
    var erasures = SalvagedErasures(source)
    proof = SalvageProof(source, through: last, kept: kept, erasures)
    erasures.selectRows(proof, last: last, lastSlot: max(lastSlot, Self.slotsTaken(source, last)))
    self.erasures = erasures
    judgeNames()
    leaveOutRepeated()
    separateEqualNames()
    judgeEvents()
  }

  /// Returns how many slots the log can have taken: one for each name and each event, after those
  /// that the ledger had when it was last salvaged.
  private static func slotsTaken(_ source: SalvageSource, _ last: UInt64) -> UInt32 {
    let before = source.identity[.slots].flatMap { $0.count == 8 ? $0 : nil }
    let start = before?.span.bigEndianWord(at: 0) ?? 0
    let taken = UInt64(source.people.count) + last + min(start, UInt64(PersonalKeys.slotMax))
    return UInt32(min(taken, UInt64(PersonalKeys.slotMax)))
  }

  /// The mark of an erasure that was interrupted, if it can be believed: it is the newest commit's,
  /// or the erasure is kept. An earlier one may belong to a commit that failed.
  var mark: ErasureMark? {
    guard let mark = keys.mark else { return nil }
    if source.isMarkKnown { return mark }
    let isKept = source.erasures.contains(mark.position) && missing[mark.position] == nil
    return isKept ? mark : nil
  }

  /// What to say about the mark.
  var notesOnMark: [String] {
    guard let mark else {
      return source.isMarkDoubtful || keys.mark != nil
        ? [
          "an erasure may have been interrupted, and what it was to destroy cannot be read: erase "
            + "the last customers who were erased again"
        ] : []
    }
    let verb = source.isMarkKnown ? "was" : "may have been"
    return [
      "the erasure at position \(mark.position) \(verb) interrupted: the keys that it destroys "
        + "are not in the new key file"
    ]
  }

  /// The positions that are kept, in order.
  var positions: some Sequence<UInt64> {
    (1..<last + 1).lazy.filter { missing[$0] == nil }
  }

  // MARK: - Names

  /// Judges each name, together with the event that introduces it if that can be read.
  private mutating func judgeNames() {
    for position in 1..<last + 1 {
      guard let record = source.record(position) else { continue }
      for number in SalvagedLeaf.introduced(by: record) where names[number] == nil {
        names[number] = judge(number, introducedAt: position)
      }
    }
    // A name stays good if only the event that introduced it is damaged. But no other leaf of the
    // tree holds it, so nothing proves it.
    for key in Array(source.names.keys) + Array(source.people.keys) where key > 0 {
      let number = NameNumber(truncatingIfNeeded: key)
      if names[number] == nil { names[number] = judge(number, introducedAt: nil) }
    }
    separateReusedNames()
  }

  /// Leaves out one of two numbers of a name if the erasure between them is lost: the first one if
  /// it has no key, otherwise the second one. Nothing may connect the two people.
  private mutating func separateReusedNames() {
    var seen: [NameHash: NameNumber] = [:]
    for key in source.people.keys {
      let number = NameNumber(truncatingIfNeeded: key)
      guard case .good = names[number], let row = source.name(number),
        let name = SealedName(row.span), erasures.row(ofName: number) == nil
      else { continue }
      let hash = NameHash(kind: name.kind, hash: name.lookupHash)
      if let first = seen[hash] {
        let dropped = keys.secret(slot(of: first)) == nil ? first : number
        names[dropped] = .bad(
          "it has the same text as name \(dropped == first ? number : first), and the erasure "
            + "between them is lost")
      }
      seen[hash] = number
    }
  }

  private struct NameHash: Hashable {
    let kind: NameKind
    let hash: [UInt8]
  }

  private func slot(of number: NameNumber) -> UInt32 {
    source.name(number).flatMap { SealedName($0.span)?.slot.taken } ?? 0
  }

  private mutating func judge(
    _ number: NameNumber, introducedAt position: UInt64?
  ) -> NameState {
    guard let row = source.name(number) else { return .bad("it is missing or damaged") }
    let isContradicted = position.map(proof.isContradicted) ?? false
    let isProven = position.map(proof.isProven) ?? false
    if source.needsProof(name: number), !isProven {
      return .bad("no intact page refers to it, and the hash tree does not prove it")
    }
    // A key may prove it below.
    if !isProven { namesUnproven.insert(number) }
    guard let name = SealedName(row.span) else {
      if isContradicted { return .bad("the hash tree has another hash for it") }
      guard let kind = NameKind(rawValue: row[0]) else { return .bad("it has no kind") }
      return .good(kind)
    }
    if name.slot.isForgotten {
      return isContradicted ? .bad("the hash tree has another hash for it") : .forgotten(name.kind)
    }
    let kind = name.kind
    let unreadable =
      isContradicted ? .bad("the hash tree has another hash for it") : NameState.good(kind)
    if erasures.row(ofName: number) != nil { return unreadable }
    let isForeign = erasures.bySlot[name.slot.taken] != nil
    guard !isForeign, let head = keys.head, let secret = keys.secret(name.slot.taken) else {
      // Without a key file, the report says once that everything is given up.
      let isDamaged = isForeign || name.slot.taken > lastSlot
      if keys.head != nil, case .good = unreadable {
        if isDamaged {
          namesLost.insert(number)
        } else if !keys.isErasing(name.slot.taken) {
          namesWithoutKey.insert(number)
        }
      }
      return unreadable
    }
    if let text = name.text(secret),
      [UInt8](copying: name.commitment)
        == Commitment.name(name.kind, text, nonce: secret.nonce),
      name.hasHash(head.people.hash(text.text.utf8.span, name.kind))
    {
      namesUnproven.remove(number)
      return .good(kind)
    }
    // Keep what is left only if the tree proves it. Otherwise, nobody knows whose name it was.
    guard isProven else { return .bad("its key does not decrypt its text") }
    namesLost.insert(number)
    return .good(kind)
  }

  /// Leaves out public names that have the kind and text of another one, as far as the tree does
  /// not prove them. A text is numbered once, so damage made one name of the other. If the tree
  /// proves neither, nobody knows which one it was, and both are left out.
  private mutating func separateEqualNames() {
    var texts: Set<[UInt8]> = []
    for number in namesUnproven where isGood(number) {
      guard let row = source.name(number), SalvageSource.isPublicName(row) else { continue }
      texts.insert(row)
    }
    if texts.isEmpty { return }
    var equal: [[UInt8]: [NameNumber]] = [:]
    for key in source.names.keys where key > 0 {
      let number = NameNumber(truncatingIfNeeded: key)
      guard let row = source.name(number), texts.contains(row) else { continue }
      equal[row, default: []].append(number)
    }
    let groups = equal.values.filter { $0.count > 1 }
    if groups.isEmpty { return }
    let used = numbersUsed(among: Set(groups.joined()))
    for group in groups {
      // A row that no tree leads to may be one of a commit that failed, and says nothing then.
      let numbers = group.filter { number in
        source.names.origin(of: UInt64(number))?.isOfTree == true
          || isGood(number) && used.contains(number)
      }
      let right = numbers.first { isGood($0) && !namesUnproven.contains($0) }
      for number in numbers where number != right && isGood(number) {
        guard let other = right ?? numbers.first(where: { $0 != number }) else { continue }
        names[number] = .bad(
          "it has the same text as name \(other), "
            + (right == nil ? "and the hash tree proves neither" : "which the hash tree proves"))
      }
    }
  }

  private func isGood(_ number: NameNumber) -> Bool {
    if case .good = names[number] { true } else { false }
  }

  /// Returns which of these names an event uses that is not left out.
  func numbersUsed(among names: Set<NameNumber>) -> Set<NameNumber> {
    var used: Set<NameNumber> = []
    if names.isEmpty { return used }
    for position in positions {
      guard let bytes = source.record(position) else { continue }
      // A record that was found could be read before.
      do throws(RecordError) {
        try RecordView(bytes.span, isChecked: false).forEachNumber { number in
          if names.contains(number) { used.insert(number) }
        }
      } catch { continue }
    }
    return used
  }

  // MARK: - Events

  /// Leaves out records that no tree refers to and whose event is also at another position. They
  /// belong to a commit that failed, after which the batch was appended again.
  private mutating func leaveOutRepeated() {
    var doubtful: [Name: UInt64] = [:]
    for position in 1..<last + 1 where isDoubtful(position) {
      guard let id = id(at: position) else { continue }
      // What was appended later is what was acknowledged.
      if let earlier = doubtful[id] { missing[earlier] = Self.repeated(at: position) }
      doubtful[id] = position
    }
    if doubtful.isEmpty { return }
    for position in 1..<last + 1 where !isDoubtful(position) {
      guard let id = id(at: position), let other = doubtful[id] else { continue }
      missing[other] = Self.repeated(at: position)
    }
  }

  private static func repeated(at position: UInt64) -> String {
    "no tree refers to the record, and its event is at position \(position)"
  }

  /// Returns whether a record may belong to a commit that failed.
  private func isDoubtful(_ position: UInt64) -> Bool {
    guard let origin = source.records.origin(of: position) else { return false }
    return !origin.isOfTree && !proof.isProven(position)
  }

  private func id(at position: UInt64) -> Name? {
    guard let bytes = source.record(position) else { return nil }
    do throws(RecordError) { return try RecordView(bytes.span, isChecked: false).id() } catch {
      return nil
    }
  }

  /// Judges the events again until nothing changes, because an event can depend on an erasure,
  /// which is an event itself.
  private mutating func judgeEvents() {
    var isChanged = true
    while isChanged {
      isChanged = false
      var introduced: Set<NameNumber> = []
      textsLost = []
      textsWithoutKey = []
      usingUnproven = []
      for position in 1..<last + 1 where missing[position] == nil {
        if let reason = reasonAgainst(position, &introduced) {
          missing[position] = reason
          isChanged = true
        }
      }
    }
  }

  /// Returns why an event cannot be kept, or `nil` if it can.
  private mutating func reasonAgainst(
    _ position: UInt64, _ introduced: inout Set<NameNumber>
  ) -> String? {
    if source.records.contested.contains(position) {
      return "two different records of it were found, and no tree refers to either"
    }
    if source.records.rejected.contains(position) {
      return "no tree refers to the record, and the hash tree contradicts it"
    }
    guard let bytes = source.record(position) else {
      return source.damagedRecords.contains(position)
        ? "the record has a wrong checksum" : "the record is missing"
    }
    do throws(RecordError) {
      let record = try RecordView(bytes.span, isChecked: false)
      if let reason = reasonAgainstNames(of: record) { return reason }
      let isForgotten = forgets(record)
      let numbers = Self.numbers(of: record)
      for number in numbers where !introduced.contains(number) {
        if case .forgotten = names[number], !isForgotten {
          return "name \(number) was never given a key, and the erasure before it is damaged"
        }
      }
      introduced.formUnion(numbers)
      if numbers.contains(where: namesUnproven.contains) { usingUnproven.insert(position) }
      if !isPersonalWhole(record, isForgotten) { textsLost.insert(position) }
      return nil
    } catch { return error.message }
  }

  private static func numbers(of record: borrowing RecordView) -> [NameNumber] {
    var numbers: [NameNumber] = []
    record.forEachNumber { numbers.append($0) }
    return numbers
  }

  private func reasonAgainstNames(of record: borrowing RecordView) -> String? {
    for (number, kind) in record.kindsOfNumbers {
      switch names[number] {
      case .good(kind), .forgotten(kind): break
      case .bad(let reason): return "it needs name \(number), and \(reason)"
      case nil: return "it needs name \(number), which is missing"
      default: return "it uses name \(number) as \(kind), which it is not"
      }
      if let erasure = erasures.row(ofName: number)?.position, missing[erasure] != nil {
        return "it names somebody who was erased at position \(erasure), which is missing"
      }
    }
    return nil
  }

  /// Returns whether an event was appended after an erasure of its account, device or session, but
  /// is about the time before it; see `ListedErasures`.
  private func forgets(_ record: borrowing RecordView) -> Bool {
    let account = record.number(.account)
    let people = account != 0 ? [account] : [record.number(.device), record.number(.session)]
    for number in people {
      guard let erasure = erasures.row(ofName: number)?.position, erasure < record.position,
        missing[erasure] == nil, let moment = moment(of: erasure)
      else { continue }
      if record.believedAt <= moment { return true }
    }
    return false
  }

  private func moment(of position: UInt64) -> Instant? {
    guard let bytes = source.record(position) else { return nil }
    do throws(RecordError) {
      return try RecordView(bytes.span, isChecked: false).believedAt
    } catch { return nil }
  }

  // MARK: - Personal data

  /// Returns whether the personal data of an event is intact, as far as there is a key, or was
  /// erased.
  private mutating func isPersonalWhole(
    _ record: borrowing RecordView, _ isForgotten: Bool
  ) -> Bool {
    guard let commitment = record.commitment else { return true }
    // The text was erased, so losing its row loses nothing.
    if erasures.byEvent[record.position] != nil { return true }
    guard let row = source.personal.value(record.position, source),
      let data = SealedData(row.span)
    else { return false }
    if data.slot.isForgotten { return isForgotten }
    if erasures.bySlot[data.slot.taken] != nil { return false }
    if keys.head != nil, data.slot.taken > lastSlot { return false }
    guard keys.head != nil else { return true }
    guard let pad = keys.secret(data.slot.taken) else {
      // The row is as it was written. A better copy of the key file may still open it.
      if !keys.isErasing(data.slot.taken) { textsWithoutKey.insert(record.position) }
      return true
    }
    let secret = data.secret(pad)
    if let json = data.json(secret, commitment: commitment),
      PersonalPart.commitment(to: json, secret) == commitment
    {
      return true
    }
    return false
  }
}

extension RecordView {
  /// The numbers of the names that the event uses, each with the kind that it must have.
  var kindsOfNumbers: [(NameNumber, NameKind)] {
    var found: [(NameNumber, NameKind)] = []
    for slot in NameSlot.allCases {
      let number = number(slot)
      if number != 0 { found.append((number, slot.kind)) }
    }
    for index in 0..<dataNameCount { found.append((dataNumber(index), kindOfDataNames)) }
    return found
  }

  /// The kind of the names inside `data`.
  var kindOfDataNames: NameKind {
    switch kind {
    case .accountLinked, .accountTransferred: .account
    case .transactionPurchased, .transactionRestored, .subscriptionRenewed: .download
    default: .product
    }
  }
}
