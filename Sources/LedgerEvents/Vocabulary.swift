/// The vocabulary of `events.md` as a table: what each type requires, which members its `data` can
/// have, their JSON types, and which of them are personal. The decoder, the record format and the
/// published JSON Schema are derived from it.
public enum Vocabulary {
  /// The type of a field of `data`.
  public indirect enum FieldType: Sendable {
    case string
    /// A string of 1 to `nameBytesMax` bytes that is used as a key.
    case name
    /// An integer of 64 bits, written without fraction or exponent, that is not less than the
    /// minimum.
    case integer(minimum: Int64)
    /// A number within the bounds, which are inclusive.
    case number(ClosedRange<Double>)
    case boolean
    /// RFC 3339, as a string.
    case time
    /// A decimal number, as a string: `"0.99"`.
    case money
    /// ISO 4217: three capital letters.
    case currency
    /// ISO 8601, as a string: `"P1M"`.
    case duration
    /// A string of digits only.
    case digits
    /// One of these strings.
    case oneOf([String])
    case integerOrString
    /// Any JSON value.
    case any
    /// `{"domain", "code", "message", "underlying"}`.
    case error
    case array(of: FieldType)
    case object([Field])
    /// An object whose members are integers; their names are units.
    case amounts

    /// The fields of the object that a value is, or of the objects in the array that it is; `nil`
    /// if it is neither.
    var objectFields: [Field]? {
      switch self {
      case .object(let fields), .array(of: .object(let fields)): fields
      default: nil
      }
    }
  }

  /// A member of `data`, or of an object in it.
  public struct Field: Sendable {
    public let name: String
    public let type: FieldType
    /// Whether the value could identify a person. Such strings are never stored in a record.
    public let isPersonal: Bool
    /// Whether an object requires the member. (For members of `data`, see `Rule.needs`.)
    public let isNeeded: Bool
    let key: NameKey
    /// Whether the value is an object with fields of its own, or an array of such.
    let containsObjects: Bool

    init(
      _ name: String, _ type: FieldType, isPersonal: Bool = false, isNeeded: Bool = false
    ) {
      self.name = name
      self.type = type
      self.isPersonal = isPersonal
      self.isNeeded = isNeeded
      self.key = NameKey(name)
      self.containsObjects = type.objectFields != nil
    }
  }

  /// A field that a type can require.
  public enum Requirement: Hashable, Sendable {
    case envelope(EnvelopeField)
    /// A member of `data`.
    case data(String)

    /// The path of the field, in the form that errors use.
    public var path: String {
      switch self {
      case .envelope(let field): field.rawValue
      case .data(let name): "data." + name
      }
    }
  }

  /// The requirements and fields of one type.
  public final class Rule: Sendable {
    public let kind: EventKind
    /// The requirements. Each one is met by any of its alternatives.
    public let needs: [[Requirement]]
    /// The members of `data` in the vocabulary.
    public let fields: [Field]
    /// For each field, its tag in records; `nil` if it is personal.
    let tags: [RecordTag?]
    /// For each field, the first bytes of its name, for lookups.
    let prefixes: [UInt64]
    /// Whether `error` is one of the fields.
    let hasError: Bool
    /// Whether `path` is one of the fields.
    let hasPath: Bool

    init(kind: EventKind, needs: [[Requirement]], fields: [Field]) {
      self.kind = kind
      self.needs = needs
      self.fields = fields
      self.tags = fields.map { $0.isPersonal ? nil : RecordTag.byName[$0.name] }
      self.prefixes = fields.map(\.key.prefix)
      self.hasError = fields.contains { $0.name == "error" }
      self.hasPath = fields.contains { $0.name == "path" }
    }

    /// Returns the field called `name`.
    ///
    /// - Complexity: O(*n*) in the number of fields.
    public func field(_ name: String) -> Field? { index(of: name).map { fields[$0] } }

    /// Returns the index of the field called `name`.
    func index(of name: String) -> Int? {
      let prefix = NameKey.prefix(name)
      for index in prefixes.indices
      where prefixes[index] == prefix && hasSameBytes(fields[index].name, name) {
        return index
      }
      return nil
    }
  }

  /// Returns the rule of a type. The rule of the unknown type has no requirements and no fields.
  ///
  /// - Complexity: O(1).
  public static func rule(_ kind: EventKind) -> Rule { rules[Int(kind.rawValue)] }

  /// The rules of all kinds, indexed by the kind's number.
  public static let rules: [Rule] = EventKind.allCases.map(makeRule)
}

/// The fields of the envelope, by their names.
public enum EnvelopeField: String, CaseIterable, Sendable {
  case id
  case type
  case occurredAt
  case source
  case environment
  case app
  case account
  case device
  case session
  case sequence
  case payment
  case product
  case transaction
  case originalTransaction
  case download
  case data
  case position
  case recordedAt

  /// The index of the field, from 0.
  var index: Int {
    switch self {
    case .id: 0
    case .type: 1
    case .occurredAt: 2
    case .source: 3
    case .environment: 4
    case .app: 5
    case .account: 6
    case .device: 7
    case .session: 8
    case .sequence: 9
    case .payment: 10
    case .product: 11
    case .transaction: 12
    case .originalTransaction: 13
    case .download: 14
    case .data: 15
    case .position: 16
    case .recordedAt: 17
    }
  }
}

/// A name prepared for comparison with bytes. Its length and first eight bytes are nearly always
/// enough.
struct NameKey: Sendable {
  let prefix: UInt64
  let bytes: [UInt8]

  init(_ name: String) {
    let bytes = Array(name.utf8)
    self.bytes = bytes
    self.prefix = NameKey.prefix(bytes.span, 0..<bytes.count)
  }

  /// Returns the first eight bytes, the first byte highest, padded with zeros.
  static func prefix(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
    if range.lowerBound + 8 <= bytes.count {
      // The bytes after a short name are masked out.
      let word = load64(bytes, range.lowerBound).byteSwapped
      return range.count >= 8 ? word : range.isEmpty ? 0 : word & ~0 << UInt64(64 - 8 * range.count)
    }
    var prefix: UInt64 = 0
    let count = min(range.count, 8)
    for step in 0..<count { prefix = prefix << 8 | UInt64(bytes[range.lowerBound + step]) }
    return count == 0 ? 0 : prefix << UInt64(64 - 8 * count)
  }

  func matches(_ prefix: UInt64, _ scanner: borrowing JSONScanner, _ range: JSONRange) -> Bool {
    prefix == self.prefix && scanner.isText(range, bytes)
  }
}
