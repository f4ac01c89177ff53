internal import LedgerEvents

/// A name that an event shows, with its number in the record.
struct ShownName {
  /// The envelope's field, or `to` of `data`.
  let field: String
  let kind: NameKind
  let number: NameNumber
}

extension RecordView {
  /// The names that are needed to show the event: those of the envelope, and the account of a link
  /// or transfer. Other names in `data` are stored there as text.
  var shownNames: [ShownName] {
    var names: [ShownName] = []
    for slot in NameSlot.allCases {
      let number = number(slot)
      if number != 0 { names.append(ShownName(field: "\(slot)", kind: slot.kind, number: number)) }
    }
    if kind == .accountLinked || kind == .accountTransferred, dataNameCount == 1 {
      names.append(ShownName(field: "to", kind: .account, number: dataNumber(0)))
    }
    return names
  }
}
