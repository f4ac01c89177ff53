import LedgerEvents

extension AccountState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    number = try reader.number()
    customer = try reader.holder()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(number)
    writer.write(customer.index)
  }
}

extension GrantState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    holder = try reader.holder()
    entitlement = try reader.optionalName()
    product = try reader.number()
    until = try reader.signed()
    since = try reader.signed()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(holder.index)
    writer.write(entitlement)
    writer.write(product)
    writer.write(until)
    writer.write(since)
  }
}

extension ConsumptionState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    holder = try reader.holder()
    unit = try reader.name()
    amount = try reader.signed()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(holder.index)
    writer.write(unit)
    writer.write(amount)
  }
}

extension FailureState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    transaction = try reader.index()
    product = try reader.number()
    device = try reader.number()
    time = try reader.signed()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(transaction)
    writer.write(product)
    writer.write(device)
    writer.write(time)
  }
}

extension PaymentState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    payment = try reader.number()
    product = try reader.number()
    device = try reader.number()
    account = try reader.number()
    time = try reader.signed()
    position = try reader.unsigned()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(payment)
    writer.write(product)
    writer.write(device)
    writer.write(account)
    writer.write(time)
    writer.write(position)
  }
}

extension ReportState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    product = try reader.number()
    next = try reader.index()
    ordinal = try reader.index()
    time = try reader.signed()
    isDeferred = try reader.boolean()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(product)
    writer.write(next)
    writer.write(ordinal)
    writer.write(time)
    writer.write(isDeferred)
  }
}

extension DeviceState.Offer: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    product = try reader.number()
    isInvalid = try reader.boolean()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(product)
    writer.write(isInvalid)
  }
}

extension DeviceState.Request: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    position = try reader.unsigned()
    time = try reader.signed()
    account = try reader.number()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(position)
    writer.write(time)
    writer.write(account)
  }
}

extension DeviceState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    self.init(number: try reader.number())
    launch = try reader.unsigned()
    restore = try reader.unsigned()
    restoreIsCompleted = try reader.boolean()
    allowsPayments = try reader.boolean()
    offers = try reader.list()
    unanswered = try reader.list()
    restores = try reader.list()
    storms = try reader.list()
    firstContent = try reader.index()
    firstInstall = try reader.index()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(number)
    writer.write(launch)
    writer.write(restore)
    writer.write(restoreIsCompleted)
    writer.write(allowsPayments)
    writer.write(offers)
    writer.write(unanswered)
    writer.write(restores)
    writer.write(storms)
    writer.write(firstContent)
    writer.write(firstInstall)
  }
}

extension RestoreState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    self.init(
      position: try reader.unsigned(), ordinal: try reader.index(), time: try reader.signed(),
      account: try reader.number(), app: try reader.number())
    completedAt = try reader.signed()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(position)
    writer.write(ordinal)
    writer.write(time)
    writer.write(account)
    writer.write(app)
    writer.write(completedAt)
  }
}

extension OutcomeState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    transaction = try reader.index()
    time = try reader.signed()
    position = try reader.unsigned()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(transaction)
    writer.write(time)
    writer.write(position)
  }
}

extension RepeatState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    chain = try reader.index()
    finding = try .init(from: &reader)
  }

  func encode(into writer: inout StateWriter) {
    writer.write(chain)
    finding.encode(into: &writer)
  }
}

extension SessionClock: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    self.init()
    highestBefore = try reader.signed()
    time = try reader.signed()
    highestAtTime = try reader.signed()
    isFound = try reader.boolean()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(highestBefore)
    writer.write(time)
    writer.write(highestAtTime)
    writer.write(isFound)
  }
}
