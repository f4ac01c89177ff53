public import LedgerEvents

/// A table and the events that a map makes of it, checked by the rules of an append and not yet
/// compared with a ledger.
public struct TableImport: PurchaseImport {
  public let askedAt: Instant?
  public let subjects: [ImportSubjects]
  /// A table is not signed.
  public var isVerified: Bool { false }

  private let received: Event
  private let facts: [Event]
  private let options: ImportOptions
  private let warnings: [String]

  /// Reads a table.
  ///
  /// - Throws: `ImportError` with the line and the column of what the map or an append does not
  ///   allow. Then nothing of the table is imported.
  /// - Complexity: O(*n* log *n*) in the number of rows, O(*m*) in the number of bytes.
  public init(
    _ bytes: [UInt8], map: TableMap, options: ImportOptions
  ) throws(ImportError) {
    self.options = options
    do throws(ImportError) {
      var table = try TextTable(bytes, separator: map.separator)
      var rows = try TableRows(map, table.header, options)
      while let row = try table.next() { try rows.add(row) }
      facts = rows.events.sorted { ($0.occurredAt, $0.id) < ($1.occurredAt, $1.id) }
      warnings = rows.warnings
      askedAt = facts.last?.occurredAt
      // Ids are unique in a ledger, in whichever environment they are.
      subjects = [
        ImportSubjects(
          environment: .production, purchases: [], renewals: [], accounts: [],
          identifiers: facts.map(\.id))
      ]
      received = ImportBatch.received(
        format: ImportFormat.csv.rawValue, bytes: bytes, events: facts.count, options: options,
        occurredAt: askedAt ?? Instant(microseconds: 0), app: options.app,
        environment: options.environment, more: ["map": map.name, "mapSHA256": map.digest])
    } catch {
      throw error.file.isEmpty ? error.of(file: options.baseName) : error
    }
  }

  /// Returns the events; see ``PurchaseImport``.
  ///
  /// - Throws: `ImportError` of code `contradiction` if the ledger has another event under one of
  ///   the ids.
  public func outcome(
    _ known: [StoreEnvironment: KnownPurchases] = [:], recordsClaims: Bool = false
  ) throws(ImportError) -> ReceiptImport.Outcome {
    var outcome = ReceiptImport.Outcome(
      events: [], claims: [], unownedCount: 0, warnings: warnings)
    guard !facts.isEmpty else { return outcome }
    let recorded = known.values.first?.recorded ?? [:]
    for fact in facts {
      guard let other = recorded[fact.id], !other.sameContent(as: fact) else { continue }
      throw ImportError(
        .contradiction, file: options.baseName,
        reason: "the ledger has another event with the id \(fact.id)",
        remedy: "An id belongs to one fact: map a column that is unique, perhaps with a prefix")
    }
    outcome.events = [received] + facts
    return outcome
  }
}

/// Turns rows into events, one after the other.
private struct TableRows {
  private let map: TableMap
  private let options: ImportOptions
  private let indices: [Name: Int]
  private var vocabulary = VocabularyCheck()
  /// Where each id was first: its line, and the index of its event.
  private var seen: [Name: (line: Int, index: Int)] = [:]
  private var repeatedCount = 0
  private var skippedCount = 0
  private var words: [UnknownWord: Int] = [:]
  private(set) var events: [Event] = []

  /// - Throws: `ImportError` at the map, if it names a column that the table does not have.
  init(_ map: TableMap, _ header: [String], _ options: ImportOptions) throws(ImportError) {
    self.map = map
    self.options = options
    var indices: [Name: Int] = [:]
    for (index, name) in header.enumerated() { indices[Name(name)] = index }
    self.indices = indices
    let values = map.envelope.map(\.value) + map.data.map(\.value)
    let named =
      values.flatMap { value in value.columns.map { (value.path, $0) } }
      + map.filters.enumerated().map { ("rows[\($0.offset)].column", $0.element.column) }
    for (path, column) in named where indices[Name(column)] == nil {
      throw ImportError(
        .missing, file: map.name, path: path,
        reason: "\(options.baseName) has no column \"\(column)\"; it has "
          + header.map { "\"\($0)\"" }.joined(separator: ", "),
        remedy: "Correct the map, or the separator in it")
    }
  }

  private func field(_ column: String, _ row: TextTable.Row) -> String {
    // Every column of the map was found, and every row has all columns.
    indices[Name(column)].map { row.fields[$0] } ?? ""
  }

  mutating func add(_ row: TextTable.Row) throws(ImportError) {
    for filter in map.filters {
      let isOne = filter.values.contains(Name(field(filter.column, row)))
      if isOne != filter.isIncluding {
        skippedCount += 1
        return
      }
    }
    var event = try read(row)
    if !map.envelope.contains(where: { $0.field == .id }) { event.id = derivedID(of: event) }
    if let (line, index) = seen[event.id] {
      guard events[index].sameContent(as: event) else {
        throw ImportError(
          .contradiction, path: place(row, "id"),
          reason: "the id \(event.id) is that of line \(line), which says something else",
          remedy: "An id belongs to one fact: map a column that is unique, perhaps with a prefix")
      }
      repeatedCount += 1
      return
    }
    try check(event, row)
    seen[event.id] = (row.line, events.count)
    events.append(event)
  }

  // MARK: - Events

  private func read(_ row: TextTable.Row) throws(ImportError) -> Event {
    var members: [(name: String, value: JSONValue)] = []
    for (field, value) in map.envelope {
      guard let value = try self.value(value, row) else { continue }
      members.append((field.rawValue, value))
    }
    var data: [(name: String, value: JSONValue)] = []
    for (name, value) in map.data {
      if let value = try self.value(value, row) { data.append((name, value)) }
    }
    if !data.isEmpty { members.append((EnvelopeField.data.rawValue, .object(data))) }
    if !map.envelope.contains(where: { $0.field == .id }) {
      members.append((EnvelopeField.id.rawValue, .string("csv")))
    }
    try add(options.app?.text, .app, &members, row)
    try add(options.account?.text, .account, &members, row)
    try add(options.environment?.text, .environment, &members, row)
    do throws(EventError) {
      return try EventDecoder().decode(line: JSONValue.object(members).json).event
    } catch {
      throw ImportError(
        .badValue, path: place(row, error.field),
        reason: (error.field.isEmpty ? "" : "\(error.field): ") + error.reason,
        remedy: "Correct the row, or the map; an append would refuse this event, too")
    }
  }

  /// Adds what the command line says where the map says nothing.
  private func add(
    _ text: String?, _ field: EnvelopeField, _ members: inout [(name: String, value: JSONValue)],
    _ row: TextTable.Row
  ) throws(ImportError) {
    guard let text else { return }
    guard let stated = members.first(where: { $0.name == field.rawValue })?.value else {
      members.append((field.rawValue, .string(text)))
      return
    }
    guard let other = stated.string, Name(other) != Name(text) else { return }
    throw ImportError(
      .contradiction, path: place(row, field.rawValue),
      reason: "the row says \"\(other)\", and the command line \"\(text)\"",
      remedy: "Leave one of them out")
  }

  private func value(
    _ value: TableValue, _ row: TextTable.Row
  ) throws(ImportError) -> JSONValue? {
    do throws(TableValue.Failure) {
      return try value.value(value.columns.map { field($0, row) })
    } catch {
      throw ImportError(
        .badValue, path: place(row, value.columns),
        reason: "expected \(error.expected), found \(error.found)", remedy: error.remedy)
    }
  }

  private func place(_ row: TextTable.Row, _ columns: [String]) -> String {
    let names = columns.map { "\"\($0)\"" }.joined(separator: " and ")
    return "line \(row.line)" + (names.isEmpty ? "" : ", column \(names)")
  }

  /// Returns the place of the columns that a field of the event comes from.
  private func place(_ row: TextTable.Row, _ field: String) -> String {
    let path = "event." + field
    let values = map.envelope.map(\.value) + map.data.map(\.value)
    let value = values.first {
      path == $0.path || path.hasPrefix($0.path + ".")
        || path.hasPrefix($0.path + "[")
    }
    return place(row, value?.columns ?? [])
  }

  /// Returns an id that depends on what the event says, whatever the order of the map.
  private func derivedID(of event: Event) -> Name {
    var event = event
    event.data.members.sort { $0.name < $1.name }
    let text = String(decoding: EventEncoder().encode(event), as: UTF8.self)
    return Name("csv:\(Digest.hex([text], key: options.digestKey))")
  }

  /// Looks for misspelled words, as an append does.
  private mutating func check(_ event: Event, _ row: TextTable.Row) throws(ImportError) {
    for word in vocabulary.unknownWords(in: EventInput(event: event)) {
      if word.role == .type, word.nearest != nil {
        throw ImportError(
          .badValue, path: place(row, word.path), reason: word.reason,
          remedy: "Correct the type")
      }
      if words[word] == nil { words[word] = row.line }
    }
  }

  var warnings: [String] {
    var warnings = words.sorted { ($0.value, $0.key.path) < ($1.value, $1.key.path) }
      .map { "line \($0.value): \($0.key.path): \($0.key.reason)" }
    if skippedCount > 0 {
      warnings.append("\(skippedCount.counted("row")) left out, as the map says")
    }
    if repeatedCount > 0 {
      warnings.append(
        "\(repeatedCount.counted("row")) left out that says what another one says; if it is a fact "
          + "of its own, map an id")
    }
    return warnings
  }
}
