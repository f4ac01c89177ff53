import LedgerEvents

/// The number of a table within an environment's state, or within what is settled over all
/// environments. It is part of the key of stored pages, so numbers are never used for another
/// table.
enum StateTableNumber: UInt8, Sendable {
  case transactions = 1
  case chains = 2
  case chainOwners = 3
  case chainOwnerKeys = 4
  case expiringKeys = 5
  case deliveries = 6
  case downloads = 7
  case installs = 8
  case reports = 9
  case devices = 10
  case accounts = 11
  case customers = 12
  case contents = 13
  case sessions = 14
  case sessionKeys = 15
  case findings = 16
  case lateFindings = 17
  case versions = 18
  case published = 19
  case digests = 20
  case statedAccounts = 32
  case paymentKeys = 33
  case payments = 34
  case rootKeys = 35
  case roots = 36
  case identitySessionKeys = 37
  case identitySessions = 38
}

/// Visits the tables of a unit's state to replace or to mark them, always in the same order.
protocol StateTableVisitor {
  /// Whether it replaces the rows, so that what is derived from them has to be derived again.
  static var readsTables: Bool { get }
  /// Called before the tables of an environment; `nil` for those over all environments.
  mutating func enter(_ environment: StoreEnvironment?)
  mutating func visit<Row: Persisted & Sendable>(
    _ number: StateTableNumber, _ table: inout StateTable<Row>)
  /// Called for a table of keys, which has an index.
  mutating func visit(_ number: StateTableNumber, of index: inout KeyIndex)
}

extension StateTableVisitor {
  static var readsTables: Bool { false }
  mutating func enter(_ environment: StoreEnvironment?) {}
}

/// Reads the tables of a unit's state, in the order in which a `StateTableVisitor` visits them.
protocol StateTableReader {
  /// Called before the tables of an environment; `nil` for those over all environments.
  mutating func enter(_ environment: StoreEnvironment?)
  mutating func read<Row: Persisted & Sendable>(
    _ number: StateTableNumber, _ table: StateTable<Row>)
}

extension StateTableReader {
  mutating func enter(_ environment: StoreEnvironment?) {}
}

extension Unit {
  /// Shows every table of the state to a visitor.
  mutating func visitTables<Visitor: StateTableVisitor>(
    _ visitor: inout Visitor
  ) {
    visitor.enter(nil)
    statedAccounts.visit(.statedAccounts, &visitor)
    identity.visitTables(&visitor)
    for index in environments.indices {
      visitor.enter(environments[index].environment)
      environments[index].visitTables(&visitor)
    }
  }

  /// Shows every table of the state to a reader, in the order of `visitTables`.
  func readTables<Reader: StateTableReader>(
    _ reader: inout Reader
  ) {
    reader.enter(nil)
    reader.read(.statedAccounts, statedAccounts.keys)
    identity.readTables(&reader)
    for index in environments.indices {
      reader.enter(environments[index].environment)
      environments[index].readTables(&reader)
    }
  }
}

extension Identity {
  fileprivate mutating func visitTables<Visitor: StateTableVisitor>(
    _ visitor: inout Visitor
  ) {
    paymentIndex.visit(.paymentKeys, &visitor)
    visitor.visit(.payments, &payments)
    rootIndex.visit(.rootKeys, &visitor)
    visitor.visit(.roots, &roots)
    sessionIndex.visit(.identitySessionKeys, &visitor)
    visitor.visit(.identitySessions, &sessions)
  }

  fileprivate func readTables<Reader: StateTableReader>(
    _ reader: inout Reader
  ) {
    reader.read(.paymentKeys, paymentIndex.keys)
    reader.read(.payments, payments)
    reader.read(.rootKeys, rootIndex.keys)
    reader.read(.roots, roots)
    reader.read(.identitySessionKeys, sessionIndex.keys)
    reader.read(.identitySessions, sessions)
  }
}

extension EnvironmentState {
  fileprivate mutating func visitTables<Visitor: StateTableVisitor>(
    _ visitor: inout Visitor
  ) {
    visitor.visit(.transactions, &transactions)
    visitor.visit(.chains, &chains)
    visitor.visit(.chainOwners, &chainOwners)
    chainOwnerIndex.visit(.chainOwnerKeys, &visitor)
    expiringIndex.visit(.expiringKeys, &visitor)
    visitor.visit(.deliveries, &deliveries)
    visitor.visit(.downloads, &downloads)
    visitor.visit(.installs, &installs)
    visitor.visit(.reports, &reports)
    visitor.visit(.devices, &devices)
    visitor.visit(.accounts, &accounts)
    visitor.visit(.customers, &customers)
    visitor.visit(.contents, &contents)
    visitor.visit(.sessions, &sessions)
    sessionIndex.visit(.sessionKeys, &visitor)
    visitor.visit(.findings, &findings)
    visitor.visit(.lateFindings, &lateFindings)
    visitor.visit(.versions, &versions)
    visitor.visit(.published, &published)
    visitor.visit(.digests, &digests)
    if Visitor.readsTables { deriveIndexes() }
  }

  fileprivate func readTables<Reader: StateTableReader>(
    _ reader: inout Reader
  ) {
    reader.read(.transactions, transactions)
    reader.read(.chains, chains)
    reader.read(.chainOwners, chainOwners)
    reader.read(.chainOwnerKeys, chainOwnerIndex.keys)
    reader.read(.expiringKeys, expiringIndex.keys)
    reader.read(.deliveries, deliveries)
    reader.read(.downloads, downloads)
    reader.read(.installs, installs)
    reader.read(.reports, reports)
    reader.read(.devices, devices)
    reader.read(.accounts, accounts)
    reader.read(.customers, customers)
    reader.read(.contents, contents)
    reader.read(.sessions, sessions)
    reader.read(.sessionKeys, sessionIndex.keys)
    reader.read(.findings, findings)
    reader.read(.lateFindings, lateFindings)
    reader.read(.versions, versions)
    reader.read(.published, published)
    reader.read(.digests, digests)
  }

  /// Derives the indexes whose keys are in rows.
  private mutating func deriveIndexes() {
    eachDerivedIndex { $0 = KeyIndex() }
    for transaction in transactions { _ = transactionIndex.append(UInt64(transaction.number)) }
    for chain in chains { _ = chainIndex.append(UInt64(chain.original)) }
    for device in devices { _ = deviceIndex.append(UInt64(device.number)) }
    for account in accounts { _ = accountIndex.append(UInt64(account.number)) }
  }
}
