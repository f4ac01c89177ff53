import LedgerEvents
import LedgerModel

/// What must hold of any line and of any record.
enum Properties {
  /// A line is refused with its place, or is an event that survives every form that it takes.
  ///
  /// - Returns: Whether it was an event.
  static func line(_ bytes: [UInt8]) throws -> Bool {
    let input: EventInput
    do {
      input = try EventDecoder().decode(line: bytes)
    } catch {
      try Broken.unless(error.line == 1, "an error without its line")
      try Broken.unless(
        error.column >= 0 && error.column <= bytes.count + 1, "a column outside the line")
      try Broken.unless(!error.reason.isEmpty, "an error without a reason")
      return false
    }
    let event = input.event
    do { try event.validate() } catch {
      throw Broken(description: "decoded, and not valid: \(error)")
    }
    var line: [UInt8] = []
    EventEncoder().append(input, to: &line)
    let again = try EventDecoder().decode(line: line)
    try Broken.unless(again.event.sameContent(as: event), "another content after a round trip")
    try Broken.unless(again.position == input.position, "another position")
    try Broken.unless(again.recordedAt == input.recordedAt, "another ledger time")
    var lineAgain: [UInt8] = []
    EventEncoder().append(again, to: &lineAgain)
    try Broken.unless(line == lineAgain, "another line the second time")
    var vocabulary = VocabularyCheck()
    var asUnknown = input
    asUnknown.mayHaveUnknownWords = true
    try Broken.unless(
      vocabulary.unknownWords(in: input) == vocabulary.unknownWords(in: asUnknown),
      "the decoder missed an unknown word")
    try record(of: event)
    return true
  }

  private static func record(of event: Event) throws {
    var numbers = NameNumbers()
    let record = Record.encode(
      event, position: 7, recordedAt: event.occurredAt, numbers: numbers.number(event))
    let view = try RecordView(record.span)
    let back = try view.event(texts: { numbers.use($0)?.name }, personal: event.personalData)
    try Broken.unless(back.sameContent(as: event), "another content after the record")
    for member in event.data.members where member.name != "to" {
      try Broken.unless(back.data[member.name] == member.json, "other bytes of \(member.name)")
    }
    _ = try Fact(record: record.span)
  }

  /// Bytes are no record, or one that reads in peace whatever stands in it.
  ///
  /// - Returns: Whether it was a record.
  static func record(_ bytes: [UInt8]) throws -> Bool {
    do throws(RecordError) {
      let view = try RecordView(bytes.span, isChecked: false)
      for slot in NameSlot.allCases { _ = view.number(slot) }
      for index in 0..<view.dataNameCount { _ = view.dataNumber(index) }
      _ = view.commitment
      _ = try view.id()
      _ = try Fact(record: bytes.span, isChecked: false)
      _ = try view.event(texts: { Name(String($0)) }, personal: nil)
      return true
    } catch {
      try Broken.unless(!error.message.isEmpty, "an error without a message")
      return false
    }
  }
}
