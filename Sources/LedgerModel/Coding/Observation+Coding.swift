import LedgerEvents

extension Finding: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    rule = try reader.choice()
    environment = try reader.choice()
    position = try reader.unsigned()
    occurredAt = try reader.signed()
    account = try reader.number()
    device = try reader.number()
    transaction = try reader.number()
    product = try reader.number()
    download = try reader.number()
    detail = try reader.optionalName()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(rule.rawValue)
    writer.write(environment.rawValue)
    writer.write(position)
    writer.write(occurredAt)
    writer.write(account)
    writer.write(device)
    writer.write(transaction)
    writer.write(product)
    writer.write(download)
    writer.write(detail)
  }
}

extension VersionObservation: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    product = try reader.number()
    version = try reader.name()
    key = try .init(from: &reader)
  }

  func encode(into writer: inout StateWriter) {
    writer.write(product)
    writer.write(version)
    key.encode(into: &writer)
  }
}

extension PublishedVersion: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    product = try reader.number()
    version = try reader.name()
    key = try .init(from: &reader)
    finding = try .init(from: &reader)
  }

  func encode(into writer: inout StateWriter) {
    writer.write(product)
    writer.write(version)
    key.encode(into: &writer)
    finding.encode(into: &writer)
  }
}

extension InstalledDigest: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    product = try reader.number()
    version = try reader.name()
    pathHash = try reader.optionalHash()
    digest = try reader.name()
    key = try .init(from: &reader)
    finding = try .init(from: &reader)
  }

  func encode(into writer: inout StateWriter) {
    writer.write(product)
    writer.write(version)
    writer.write(pathHash)
    writer.write(digest)
    key.encode(into: &writer)
    finding.encode(into: &writer)
  }
}

extension Coupling: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    kind = try reader.choice()
    environment = try reader.choice()
    product = try reader.number()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(kind.rawValue)
    writer.write(environment.rawValue)
    writer.write(product)
  }
}

extension CouplingUse: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    coupling = try .init(from: &reader)
    writes = try reader.boolean()
  }

  func encode(into writer: inout StateWriter) {
    coupling.encode(into: &writer)
    writer.write(writes)
  }
}
