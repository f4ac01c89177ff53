/// The type of an event: its kind and its text, which is preserved even if the kind is unknown.
public struct EventType: Hashable, Sendable {
  /// `subject.verb`, as written in the event.
  public let text: String
  /// The kind in the vocabulary.
  public let kind: EventKind

  /// Creates a type of the vocabulary. `kind` must not be `.unknown`.
  public init(_ kind: EventKind) {
    precondition(kind != .unknown, "an unknown type must be created from its text")
    self.text = kind.text
    self.kind = kind
  }

  /// Creates a type from any text. The decoder checks that it is well formed.
  public init(text: String) {
    self.text = text
    self.kind = EventKind.byText[text] ?? .unknown
  }
}

/// Who recorded an event. An unknown text is preserved and treated as `app`.
public struct EventSource: Hashable, Sendable {
  /// The sources that the model distinguishes.
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

    /// `allCases`, made once.
    static let all = Array(allCases)

    /// Whether the store itself reports events from this source, and not the payment queue.
    package var isFromTheStore: Bool {
      switch self {
      case .notification, .receipt, .server: true
      default: false
      }
    }
  }

  public let text: String
  /// The known source; `app` if the text is unknown.
  public let kind: Kind

  public init(_ kind: Kind) {
    self.text = kind.text
    self.kind = kind
  }

  public init(text: String) {
    self.text = text
    self.kind = Kind.all.first { $0.text == text } ?? .app
  }
}

/// The store environment of an event. Each environment is folded separately.
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
    guard let found = Self.all.first(where: { $0.text == text }) else { return nil }
    self = found
  }

  /// `allCases` and their texts, made once.
  static let all = Array(allCases)
  static let texts = all.map(\.text)

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
