internal import LedgerEvents

/// A value in a scenario's document, with its path, so that errors can say where they are.
struct ScenarioField {
  let value: JSONValue
  let path: String

  func failure(_ expected: String) -> ScenarioError {
    ScenarioError(path: path, reason: "expected \(expected), found \(found)")
  }

  private var found: String {
    switch value {
    case .string(let text): "\"\(text.prefix(60))\""
    case .number(let text): String(text.prefix(60))
    case .boolean(let value): value ? "true" : "false"
    case .object: "an object"
    case .array: "an array"
    }
  }

  func text() throws(ScenarioError) -> String {
    guard let text = value.string else { throw failure("a text in quotes") }
    return text
  }

  /// A name that events can state.
  func name() throws(ScenarioError) -> Name {
    let name = Name(try text())
    guard (1...nameBytesMax).contains(name.byteCount) else {
      throw failure("a name of 1 to \(nameBytesMax) bytes")
    }
    return name
  }

  func integer(_ range: ClosedRange<Int64>) throws(ScenarioError) -> Int64 {
    guard let integer = value.integer, range.contains(integer) else {
      throw failure("an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  func boolean() throws(ScenarioError) -> Bool {
    guard let boolean = value.boolean else { throw failure("true or false") }
    return boolean
  }

  func time() throws(ScenarioError) -> Instant {
    guard let time = value.instant else {
      throw failure("a time of RFC 3339 with an offset, such as \"2026-03-01T09:00:00Z\"")
    }
    let years = ScenarioLimits.startYears
    guard let year = Int(time.rfc3339.prefix { $0 != "-" }), years.contains(year) else {
      throw failure("a time in the years \(years.lowerBound) to \(years.upperBound)")
    }
    return time
  }

  /// The microseconds of a duration without months.
  func duration() throws(ScenarioError) -> Int64 {
    guard let duration = value.string.flatMap({ CalendarDuration(iso8601: $0) }),
      duration.months == 0
    else { throw failure("a duration of ISO 8601 without months, such as \"PT5S\" or \"P3D\"") }
    let days = ScenarioLimits.durationDaysMax
    guard duration.days <= days, duration.microseconds <= days * Instant.day else {
      throw failure("a duration of at most \(days) days")
    }
    return duration.days * Instant.day + duration.microseconds
  }

  /// The elements of an array.
  func elements(max: Int) throws(ScenarioError) -> [ScenarioField] {
    guard let elements = value.array else { throw failure("an array") }
    guard elements.count <= max else {
      throw ScenarioError(
        path: path, reason: "expected at most \(max) elements, found \(elements.count)")
    }
    return elements.enumerated().map { ScenarioField(value: $1, path: "\(path)[\($0)]") }
  }

  /// The members of an object whose names are the writer's own.
  func members() throws(ScenarioError) -> [(name: String, field: ScenarioField)] {
    guard let members = value.object else { throw failure("an object") }
    return members.map { member in
      (member.name, ScenarioField(value: member.value, path: join(member.name)))
    }
  }

  /// The value as an object that may have only these members.
  func object(_ names: [String]) throws(ScenarioError) -> ScenarioObject {
    guard let members = value.object else { throw failure("an object") }
    for member in members where !names.contains(member.name) {
      throw ScenarioError(
        path: join(member.name),
        reason: "expected one of the members \(names.joined(separator: ", ")); no other is known "
          + "here")
    }
    return ScenarioObject(field: self)
  }

  fileprivate func join(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  /// The element of `values` whose text this is.
  func choice<Value>(
    _ values: [Value], _ text: (Value) -> String
  ) throws(ScenarioError) -> Value {
    let found = try self.text()
    for value in values where text(value) == found { return value }
    throw failure("one of \(values.map(text).joined(separator: ", "))")
  }
}

/// An object of a scenario's document.
struct ScenarioObject {
  let field: ScenarioField

  subscript(name: String) -> ScenarioField? {
    field.value[name].map { ScenarioField(value: $0, path: field.join(name)) }
  }

  /// A required member.
  func need(_ name: String, _ expected: String) throws(ScenarioError) -> ScenarioField {
    guard let found = self[name] else {
      throw ScenarioError(path: field.join(name), reason: "expected \(expected), found nothing")
    }
    return found
  }
}
