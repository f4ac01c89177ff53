internal import LedgerEvents
internal import LedgerQueries

extension ExportCell {
  init(_ name: Name?) { self = name.map { .text($0.text) } ?? .absent }

  init(_ text: String?) { self = text.map { .text($0) } ?? .absent }

  init(_ instant: Instant?) { self = instant.map { .text($0.rfc3339) } ?? .absent }

  init(_ number: Int64?) { self = number.map { .integer($0) } ?? .absent }

  init(_ number: ExactDecimal?) { self = number.map { .decimal($0) } ?? .absent }

  /// A list of names as a JSON array.
  init(list names: [Name]) {
    self = .json(
      String(decoding: JSONValue.array(names.map { .string($0.text) }).json, as: UTF8.self))
  }

  /// A position: below 2⁶³ in every log that a disk can hold.
  init(position: UInt64) { self = .integer(Int64(position)) }
}
