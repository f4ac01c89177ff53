extension EventData {
  /// Returns the parsed value of the member called `name`, or `nil` if there is none or if a value
  /// set in code is not valid JSON.
  ///
  /// - Complexity: O(*n*) in the size of the member.
  public func value(_ name: String) -> JSONValue? {
    guard let json = self[name] else { return nil }
    do { return try JSONValue(json: json) } catch { return nil }
  }

  /// Returns the text of a string member.
  public func string(_ name: String) -> String? { value(name)?.string }

  /// Returns the text of a string member as a name.
  public func name(_ name: String) -> Name? { string(name).map { Name($0) } }

  /// Returns the value of an integer member that is written without fraction or exponent.
  public func integer(_ name: String) -> Int64? { value(name)?.integer }

  /// Returns the double nearest to the value of a number member.
  public func double(_ name: String) -> Double? { value(name)?.double }

  /// Returns the digits of a number member, as written.
  public func numberText(_ name: String) -> String? { value(name)?.numberText }

  /// Returns the value of a Boolean member.
  public func boolean(_ name: String) -> Bool? { value(name)?.boolean }

  /// Returns the instant of an RFC 3339 time.
  public func instant(_ name: String) -> Instant? { value(name)?.instant }

  /// Returns the elements of an array member.
  public func array(_ name: String) -> [JSONValue]? { value(name)?.array }

  /// Returns the members of an object, in their order.
  public func object(_ name: String) -> [(name: String, value: JSONValue)]? { value(name)?.object }
}
