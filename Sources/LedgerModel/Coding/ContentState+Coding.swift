import LedgerEvents

extension DeliveryState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    self.init(transaction: try reader.index(), device: try reader.number())
    next = try reader.index()
    restore = try reader.unsigned()
    loopFinishCount = try reader.index()
    launchCount = try reader.index()
    latestLaunch = try reader.unsigned()
    paidOrdinal = try reader.index()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(transaction)
    writer.write(device)
    writer.write(next)
    writer.write(restore)
    writer.write(loopFinishCount)
    writer.write(launchCount)
    writer.write(latestLaunch)
    writer.write(paidOrdinal)
  }
}

extension DownloadState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    self.init(
      transaction: try reader.index(), number: try reader.number(), device: try reader.number())
    next = try reader.index()
    phase = try reader.choice()
    host = try reader.choice()
    marks = Marks(rawValue: try reader.byte())
    version = try reader.optionalName()
    observedProduct = try reader.number()
    progress = try reader.double()
    progressLaunch = try reader.unsigned()
    afterFinishFound = try reader.index()
    newestKind = try reader.choice()
    newestTime = try reader.signed()
    newestPosition = try reader.unsigned()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(transaction)
    writer.write(number)
    writer.write(device)
    writer.write(next)
    writer.write(phase.rawValue)
    writer.write(host.rawValue)
    writer.write(marks.rawValue)
    writer.write(version)
    writer.write(observedProduct)
    writer.write(progress)
    writer.write(progressLaunch)
    writer.write(afterFinishFound)
    writer.write(newestKind.rawValue)
    writer.write(newestTime)
    writer.write(newestPosition)
  }
}

extension InstallState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    self.init(
      transaction: try reader.index(), download: try reader.number(), product: try reader.number(),
      device: try reader.number())
    next = try reader.index()
    phase = try reader.choice()
    wasInstalled = try reader.boolean()
    startedAt = try reader.signed()
    startedPosition = try reader.unsigned()
    statedProduct = try reader.number()
    account = try reader.number()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(transaction)
    writer.write(download)
    writer.write(product)
    writer.write(device)
    writer.write(next)
    writer.write(phase.rawValue)
    writer.write(wasInstalled)
    writer.write(startedAt)
    writer.write(startedPosition)
    writer.write(statedProduct)
    writer.write(account)
  }
}

extension ContentState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    holder = try reader.holder()
    product = try reader.number()
    device = try reader.number()
    next = try reader.index()
    isPresent = try reader.boolean()
    version = try reader.name()
    installedAt = try reader.signed()
    position = try reader.unsigned()
    ordinal = try reader.index()
    transaction = try reader.index()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(holder.index)
    writer.write(product)
    writer.write(device)
    writer.write(next)
    writer.write(isPresent)
    writer.write(version)
    writer.write(installedAt)
    writer.write(position)
    writer.write(ordinal)
    writer.write(transaction)
  }
}

extension ClosingState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    transaction = try reader.index()
    device = try reader.number()
    downloads = try reader.list()
    key = try .init(from: &reader)
  }

  func encode(into writer: inout StateWriter) {
    writer.write(transaction)
    writer.write(device)
    writer.write(downloads)
    key.encode(into: &writer)
  }
}

extension FoldKey: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    time = try reader.signed()
    sequence = try reader.signed()
    idPrefix = try reader.fixed()
    position = try reader.unsigned()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(time)
    writer.write(sequence)
    writer.writeFixed(idPrefix)
    writer.write(position)
  }
}
