import LedgerEvents

/// Lets a number be an element of a persisted list.
extension NameNumber: Persisted {
  init(from reader: inout StateReader) throws(StateError) { self = try reader.number() }

  func encode(into writer: inout StateWriter) { writer.write(self) }
}

extension UInt64: Persisted {
  init(from reader: inout StateReader) throws(StateError) { self = try reader.unsigned() }

  func encode(into writer: inout StateWriter) { writer.write(self) }
}

extension Int: Persisted {
  init(from reader: inout StateReader) throws(StateError) { self = try reader.index() }

  func encode(into writer: inout StateWriter) { writer.write(self) }
}

extension Int64: Persisted {
  init(from reader: inout StateReader) throws(StateError) { self = try reader.signed() }

  func encode(into writer: inout StateWriter) { writer.write(self) }
}
