import LedgerEvents

extension ChainState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    self.init(original: try reader.number())
    firstTransaction = try reader.index()
    lastTransaction = try reader.index()
    firstPurchase = try reader.index()
    firstProduct = try reader.number()
    quantity = try reader.signed()
    hasHostedContent = try reader.boolean()
    hasHolderless = try reader.boolean()
    sharingFound = try reader.boolean()
    endedPosition = try reader.unsigned()
    endedAt = try reader.signed()
    lapses = try reader.list()
    billings = try reader.list()
    floating = try reader.list()
    latestStoreTime = try reader.signed()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(original)
    writer.write(firstTransaction)
    writer.write(lastTransaction)
    writer.write(firstPurchase)
    writer.write(firstProduct)
    writer.write(quantity)
    writer.write(hasHostedContent)
    writer.write(hasHolderless)
    writer.write(sharingFound)
    writer.write(endedPosition)
    writer.write(endedAt)
    writer.write(lapses)
    writer.write(billings)
    writer.write(floating)
    writer.write(latestStoreTime)
  }
}

extension ChainState.Lapse: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    occurredAt = try reader.signed()
    end = try reader.signed()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(occurredAt)
    writer.write(end)
  }
}

extension ChainState.Billing: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    kind = try reader.choice()
    occurredAt = try reader.signed()
    graceEnd = try reader.signed()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(kind.rawValue)
    writer.write(occurredAt)
    writer.write(graceEnd)
  }
}

extension ChainState.FloatingExpiry: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    isStoreFact = try reader.boolean()
    storeTime = try reader.signed()
    ordinal = try reader.index()
    occurredAt = try reader.signed()
    value = try reader.signed()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(isStoreFact)
    writer.write(storeTime)
    writer.write(ordinal)
    writer.write(occurredAt)
    writer.write(value)
  }
}
