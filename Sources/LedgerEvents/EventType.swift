/// The type of an event: its kind, and the text, which survives where the kind is not known.
public struct EventType: Hashable, Sendable {
  /// `subject.verb`, as the event wrote it.
  public let text: String
  /// What the vocabulary knows it as.
  public let kind: EventKind

  /// A type of the vocabulary; `kind` must not be `.unknown`.
  public init(_ kind: EventKind) {
    precondition(kind != .unknown, "an unknown type is made from its text")
    self.text = kind.text
    self.kind = kind
  }

  /// Any text; well-formedness is the decoder's to check.
  public init(text: String) {
    self.text = text
    self.kind = EventKind.byText[text] ?? .unknown
  }
}

/// Who recorded an event. Unknown text is kept and treated as `app`.
public struct EventSource: Hashable, Sendable {
  /// The sources that the model tells apart.
  public enum Kind: UInt8, CaseIterable, Sendable {
    case app = 0
    case storekit1 = 1
    case storekit2 = 2
    case notification = 3
    case receipt = 4
    case server = 5
    case `operator` = 6
    case simulator = 7

    public var text: String {
      switch self {
      case .app: "app"
      case .storekit1: "storekit1"
      case .storekit2: "storekit2"
      case .notification: "notification"
      case .receipt: "receipt"
      case .server: "server"
      case .operator: "operator"
      case .simulator: "simulator"
      }
    }
  }

  public let text: String
  /// `app` where the text is not known.
  public let kind: Kind

  public init(_ kind: Kind) {
    self.text = kind.text
    self.kind = kind
  }

  public init(text: String) {
    self.text = text
    self.kind = Kind.allCases.first { $0.text == text } ?? .app
  }
}

/// Which store an event belongs to; each is folded by itself.
public enum StoreEnvironment: UInt8, CaseIterable, Comparable, Sendable {
  case production = 1
  case sandbox = 2
  case xcode = 3
  case localTesting = 4

  public var text: String {
    switch self {
    case .production: "production"
    case .sandbox: "sandbox"
    case .xcode: "xcode"
    case .localTesting: "localTesting"
    }
  }

  public init?(text: String) {
    guard let found = Self.allCases.first(where: { $0.text == text }) else { return nil }
    self = found
  }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
