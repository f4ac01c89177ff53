/// Iterates over the members of `data` in a record, one by one and in place.
///
/// ```swift
/// var fields = view.fields
/// while try fields.next() {
///   if fields.tag == .progress { progress = fields.double }
/// }
/// ```
public struct RecordFields: ~Escapable {
  private var cursor: RecordCursor
  /// The current member, to which `next()` advanced.
  public private(set) var tag = RecordTag.typeText
  private var form: UInt8 = 0
  /// The value's bytes.
  private var start = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, at index: Int) { cursor = RecordCursor(bytes, at: index) }

  /// Advances to the next member. Returns false after the last one.
  ///
  /// - Throws: `RecordError` if a length exceeds the record.
  public mutating func next() throws(RecordError) -> Bool {
    if cursor.isAtEnd { return false }
    guard let tag = RecordTag(rawValue: try cursor.byte()) else {
      throw .damaged("a member in it has an unknown number")
    }
    self.tag = tag
    form = try cursor.byte()
    switch form {
    case 0...Record.Form.shortMax:
      start = cursor.index
      try cursor.skip(Int(form))
    case Record.Form.text16:
      let count = Int(try cursor.byte()) | Int(try cursor.byte()) << 8
      start = cursor.index
      try cursor.skip(count)
    case Record.Form.text32:
      let count = cursor.index
      try cursor.skip(4)
      start = cursor.index
      try cursor.skip(Int(load32(cursor.bytes, count)))
    case Record.Form.yes, Record.Form.no:
      start = cursor.index
    case Record.Form.hash:
      start = cursor.index
      try cursor.skip(8)
    case Record.Form.instant, Record.Form.instantMilliseconds:
      start = cursor.index
      try cursor.skip(8)
      guard Instant(microseconds: Int64(bitPattern: load64(cursor.bytes, start))).isWritable else {
        throw .damaged("a time in it is outside the years that can be written")
      }
    default:
      throw .damaged("a value in it has an unknown form")
    }
    return true
  }

  private var isText: Bool { form <= Record.Form.text32 }

  /// The instant, or `nil` if the value is not a time.
  public var instant: Instant? {
    if isText {
      guard cursor.index - start >= 2 else { return nil }
      return Instant(rfc3339: cursor.bytes, start + 1..<cursor.index - 1) ?? jsonValue?.instant
    }
    guard form == Record.Form.instant || form == Record.Form.instantMilliseconds else { return nil }
    return Instant(microseconds: Int64(bitPattern: load64(cursor.bytes, start)))
  }

  /// The Boolean value, or `nil` if the value is not true or false.
  public var boolean: Bool? {
    form == Record.Form.yes ? true : form == Record.Form.no ? false : nil
  }

  /// The nearest double, or NaN if the value is not a number.
  public var double: Double {
    isText ? JSONNumber.double(cursor.bytes, start..<cursor.index) : .nan
  }

  /// The integer, or `nil` if the value is not an integer.
  public var integer: Int64? {
    isText ? JSONNumber.integer(cursor.bytes, start..<cursor.index) : nil
  }

  /// The number in millionths with further digits dropped, or `nil` if the value is not a number or
  /// is out of range.
  public var millionths: Int64? {
    isText ? JSONNumber.millionths(cursor.bytes, start..<cursor.index) : nil
  }

  /// The hash, or `nil` if the value is not a hash.
  public var hash: UInt64? {
    form == Record.Form.hash ? load64(cursor.bytes, start) : nil
  }

  /// The text, or `nil` if the value is not a string.
  public var string: String? {
    let count = cursor.index - start
    if isText, count >= 2, count <= 256, cursor.bytes[start] == UInt8(ascii: "\"") {
      let inside = cursor.bytes.extracting(start + 1..<cursor.index - 1)
      var isPlain = true
      for index in inside.indices where inside[index] == UInt8(ascii: "\\") { isPlain = false }
      if isPlain {
        do { return try recordText(inside) } catch { return nil }
      }
    }
    return jsonValue?.string
  }

  /// Returns whether the value is the string `text`, which must not need escapes.
  public func isString(_ text: StaticString) -> Bool {
    guard isText, cursor.index - start == text.utf8CodeUnitCount + 2 else { return false }
    var index = start + 1
    for byte in String(describing: text).utf8 {
      guard cursor.bytes[index] == byte else { return false }
      index += 1
    }
    return cursor.bytes[start] == UInt8(ascii: "\"")
  }

  /// The parsed value, or `nil` if the bytes are not JSON.
  public var jsonValue: JSONValue? {
    do { return try JSONValue(json: json) } catch { return nil }
  }

  /// The JSON text of the value, as it was appended.
  ///
  /// - Complexity: O(*n*) in its length.
  public var json: [UInt8] {
    var json: [UInt8] = []
    switch form {
    case Record.Form.yes: json.append(contentsOf: "true".utf8)
    case Record.Form.no: json.append(contentsOf: "false".utf8)
    case Record.Form.instant, Record.Form.instantMilliseconds:
      let instant = Instant(microseconds: Int64(bitPattern: load64(cursor.bytes, start)))
      json.append(UInt8(ascii: "\""))
      instant.appendRFC3339(
        minimumDigits: form == Record.Form.instant ? 0 : 3, to: &json)
      json.append(UInt8(ascii: "\""))
    default:
      json.reserveCapacity(cursor.index - start)
      for index in start..<cursor.index { json.append(cursor.bytes[index]) }
    }
    return json
  }
}

extension Instant {
  /// 0000-01-01T00:00:00Z, the earliest moment that RFC 3339 can write.
  static let microsecondsMin: Int64 = -62_167_219_200_000_000

  /// Whether RFC 3339 can write this instant.
  var isWritable: Bool {
    microseconds >= Instant.microsecondsMin && microseconds <= Instant.microsecondsMax
  }
}
