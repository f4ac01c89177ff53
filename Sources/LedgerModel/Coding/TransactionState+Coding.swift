import LedgerEvents

extension TransactionState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    self.init(number: try reader.number())
    statedOriginal = try reader.number()
    owner = try reader.number()
    product = try reader.number()
    marks = Marks(rawValue: UInt16(truncatingIfNeeded: try reader.unsigned()))
    chain = try reader.index()
    nextInChain = try reader.index()
    holder = try reader.holder()
    movedTo = try reader.list()
    queue = try .init(from: &reader)
    purchase = try .init(from: &reader)
    firstDelivery = try reader.index()
    firstDownload = try reader.index()
    firstInstall = try reader.index()
    firstReport = try reader.index()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(number)
    writer.write(statedOriginal)
    writer.write(owner)
    writer.write(product)
    writer.write(UInt64(marks.rawValue))
    writer.write(chain)
    writer.write(nextInChain)
    writer.write(holder.index)
    writer.write(movedTo)
    queue.encode(into: &writer)
    purchase.encode(into: &writer)
    writer.write(firstDelivery)
    writer.write(firstDownload)
    writer.write(firstInstall)
    writer.write(firstReport)
  }
}

extension QueueState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    self.init()
    reported = try reader.choice()
    delivered = try reader.choice()
    isOpen = try reader.boolean()
    openedAt = try reader.signed()
    openedPosition = try reader.unsigned()
    finishCount = try reader.index()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(reported.rawValue)
    writer.write(delivered.rawValue)
    writer.write(isOpen)
    writer.write(openedAt)
    writer.write(openedPosition)
    writer.write(finishCount)
  }
}

extension PurchaseState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    self.init()
    firstOrdinal = try reader.index()
    firstTime = try reader.signed()
    firstPosition = try reader.unsigned()
    firstApp = try reader.number()
    statedStart = try reader.signed()
    isOnlyRestored = try reader.boolean()
    statesExpiry = try reader.boolean()
    unrestoredStart = try reader.signed()
    unrestoredTime = try reader.signed()
    store = try .init(from: &reader)
    queueOrdinal = try reader.index()
    queueProduct = try reader.number()
    storeExpiry = try .init(from: &reader)
    queueExpiry = try .init(from: &reader)
    isFamilyShared = try reader.boolean()
    reversal = try .init(from: &reader)
  }

  func encode(into writer: inout StateWriter) {
    writer.write(firstOrdinal)
    writer.write(firstTime)
    writer.write(firstPosition)
    writer.write(firstApp)
    writer.write(statedStart)
    writer.write(isOnlyRestored)
    writer.write(statesExpiry)
    writer.write(unrestoredStart)
    writer.write(unrestoredTime)
    store.encode(into: &writer)
    writer.write(queueOrdinal)
    writer.write(queueProduct)
    storeExpiry.encode(into: &writer)
    queueExpiry.encode(into: &writer)
    writer.write(isFamilyShared)
    reversal.encode(into: &writer)
  }
}

extension StoreClaim: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    self.init()
    time = try reader.signed()
    ordinal = try reader.index()
    product = try reader.number()
    isUpgraded = try reader.boolean()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(time)
    writer.write(ordinal)
    writer.write(product)
    writer.write(isUpgraded)
  }
}

extension DatedValue: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    self.init()
    value = try reader.signed()
    time = try reader.signed()
    ordinal = try reader.index()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(value)
    writer.write(time)
    writer.write(ordinal)
  }
}

extension Reversal: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    self.init()
    kind = try reader.choice()
    time = try reader.signed()
    ordinal = try reader.index()
    occurredAt = try reader.signed()
    percentMillionths = try reader.signed()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(kind.rawValue)
    writer.write(time)
    writer.write(ordinal)
    writer.write(occurredAt)
    writer.write(percentMillionths)
  }
}
