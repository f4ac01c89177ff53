import Foundation

/// An error as an event carries it: a domain, a code, and the error behind it.
public struct StoreError: Sendable, Equatable {
  public var domain: String
  public var code: Int
  public var message: String?
  /// The errors behind it, from the outside to the inside.
  public var underlying: [StoreError]

  public init(domain: String, code: Int, message: String? = nil, underlying: [StoreError] = []) {
    self.domain = domain
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  /// The error that StoreKit, the network or the app threw.
  ///
  /// The texts of the store's and the network's errors are kept. Those of others can contain names
  /// of files and of people, so only their domain and code are.
  public init(_ error: any Error) {
    var chain: [StoreError] = []
    var next: NSError? = error as NSError
    while let found = next, chain.count < Self.depthMax {
      let keepsText = Self.domainsWithPlainTexts.contains(found.domain)
      chain.append(
        StoreError(
          domain: found.domain, code: found.code,
          message: keepsText ? found.localizedDescription : nil))
      next = found.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    self = chain.removeFirst()
    underlying = chain
  }

  /// Whether the customer cancelled: `SKError.paymentCancelled`, and nothing that a text says.
  public var isCancellation: Bool { domain == "SKErrorDomain" && code == 2 }

  /// An error has rarely more than three behind it. The ledger accepts 32 levels of JSON.
  static let depthMax = 10

  /// The longest text of an error that is kept, in bytes of UTF-8.
  static let textBytesMax = 1_000

  private static let domainsWithPlainTexts: Set<String> = [
    "SKErrorDomain", "NSURLErrorDomain", "ASDErrorDomain", "ASDServerErrorDomain", "AMSErrorDomain",
  ]

  var json: JSON {
    var behind: JSON?
    for error in underlying.prefix(Self.depthMax).reversed() { behind = error.json(over: behind) }
    return json(over: behind)
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > textBytesMax else { return text }
    var kept = String.UnicodeScalarView()
    var bytes = 0
    for scalar in text.unicodeScalars {
      bytes += UTF8.width(scalar)
      guard bytes <= textBytesMax else { break }
      kept.append(scalar)
    }
    return String(kept)
  }

  private func json(over behind: JSON?) -> JSON {
    var members = EventData()
    members.set("domain", .string(Self.cut(domain)))
    members.set("code", Int64(code))
    members.set("message", message.map(Self.cut))
    members.set("underlying", behind)
    return .object(members.members)
  }
}
