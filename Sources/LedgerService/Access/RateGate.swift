import Metrics
import NIOCore
import ServiceAccess
import Synchronization

/// Refuses clients that send more than their share: by token, by address where there is no token,
/// and guessers of tokens by address.
final class RateGate: Sendable {
  /// How many requests a client may send.
  struct Rate: Sendable, Equatable {
    /// How many a second.
    var perSecond: Double
    /// How many at once.
    var burst: Int
  }

  /// What is limited, as metrics name it.
  private enum Kind: String {
    case token, address, authentication
  }

  private struct Limits {
    var tokens: RateLimit<String>
    var addresses: RateLimit<ClientAddress>
    var failures: RateLimit<ClientAddress>
  }

  /// Whether requests are counted that are no guesses.
  private let countsAll: Bool
  private let limits: Mutex<Limits>
  private let now: @Sendable () -> UInt64

  /// - Parameters:
  ///   - rate: What each token, and each address without one, may send; nil for any number.
  ///   - failures: How often an address may present what is no token.
  ///   - now: The present in nanoseconds.
  init(
    _ rate: Rate?, failures: Rate = ServiceLimits.failureRate,
    now: @escaping @Sendable () -> UInt64 = RateGate.uptime
  ) {
    func limit<Client>(_ rate: Rate) -> RateLimit<Client> {
      RateLimit(
        perSecond: rate.perSecond, burst: rate.burst, clientsMax: ServiceLimits.limitedClientsMax)
    }
    countsAll = rate != nil
    // Without a rate, the first two are never asked.
    limits = Mutex(
      Limits(
        tokens: limit(rate ?? failures), addresses: limit(rate ?? failures),
        failures: limit(failures)))
    self.now = now
  }

  /// The time since the machine was started, in nanoseconds, which never goes back.
  static func uptime() -> UInt64 { NIODeadline.now().uptimeNanoseconds }

  /// Counts a request with a token.
  ///
  /// - Throws: ``Problem``: `tooManyRequests`.
  func take(token name: String) throws(Problem) {
    guard let seconds = wait(ofToken: name) else { return }
    throw Self.refused(.token, "The token \(name) has", seconds)
  }

  /// Counts a request with a token as the gate counts it, unless that is one too many. Returns
  /// false then, and says it nowhere.
  func admits(_ token: AccessToken, _ gate: AccessGate, from address: SocketAddress?) -> Bool {
    if case .tokens = gate { return wait(ofToken: token.name) == nil }
    return wait(ofAddress: address) == nil
  }

  /// Counts a request that needs no token.
  ///
  /// - Throws: ``Problem``: `tooManyRequests`.
  func take(address: SocketAddress?) throws(Problem) {
    guard let seconds = wait(ofAddress: address) else { return }
    throw Self.refused(.address, "Your address has", seconds)
  }

  /// Counts a request with what is no token.
  ///
  /// A request with a valid token is never counted here, and never refused for what others at the
  /// same address send: the secret part of a token has 256 bits, so that nothing is gained by more
  /// guesses, and behind a proxy all clients have one address.
  ///
  /// - Throws: ``Problem``: `tooManyRequests`.
  func takeFailure(address: SocketAddress?) throws(Problem) {
    guard let client = ClientAddress(address) else { return }
    let seconds = limits.withLock { $0.failures.take(client, at: now()) }
    if let seconds {
      throw Self.refused(
        .authentication, "Too much that is no token came from your address. It has",
        seconds)
    }
  }

  /// Counts a request with a token. Returns how long its client has to wait, in seconds; nil if the
  /// request may go on.
  private func wait(ofToken name: String) -> Int? {
    guard countsAll else { return nil }
    return limits.withLock { $0.tokens.take(name, at: now()) }
  }

  /// Counts a request without a token, and returns what `wait(ofToken:)` does.
  private func wait(ofAddress address: SocketAddress?) -> Int? {
    guard countsAll, let client = ClientAddress(address) else { return nil }
    return limits.withLock { $0.addresses.take(client, at: now()) }
  }

  private static func refused(_ kind: Kind, _ who: String, _ seconds: Int) -> Problem {
    Counter(label: "daybook.requests.limited", dimensions: [("by", kind.rawValue)]).increment()
    var problem = Problem(
      .tooManyRequests, "\(who) sent more requests than it may: send this one again later.")
    problem.retryAfterSeconds = seconds
    return problem
  }
}

/// Whose requests are counted together: an address of IPv4, and the network of one of IPv6, of
/// which a single machine has 2^64 addresses.
struct ClientAddress: Hashable, Sendable {
  private let text: String

  /// The groups of an address of IPv6, and how many of them name a network.
  private static let groups = 8
  private static let networkGroups = 4
  /// What stands before an address of IPv4 in one of IPv6 (RFC 4291, section 2.5.5.2).
  private static let mappedPrefix = "::ffff:"

  /// nil for what has no address, such as a socket in a file system.
  init?(_ address: SocketAddress?) {
    guard let text = address?.ipAddress else { return nil }
    self.init(text)
  }

  /// - Parameter address: An address as the system writes it (RFC 5952).
  init(_ address: String) {
    // A zone names an interface of this machine.
    let address = address.prefix { $0 != "%" }
    if address.contains(".") {
      let isMapped = address.hasPrefix(Self.mappedPrefix)
      text = String(isMapped ? address.dropFirst(Self.mappedPrefix.count) : address)
      return
    }
    guard let gap = address.firstRange(of: "::") else {
      text = address.split(separator: ":").prefix(Self.networkGroups).joined(separator: ":")
      return
    }
    let before = address[..<gap.lowerBound].split(separator: ":")
    let after = address[gap.upperBound...].split(separator: ":")
    let zeros = max(Self.groups - before.count - after.count, 0)
    let all = before + [Substring](repeating: "0", count: zeros) + after
    text = all.prefix(Self.networkGroups).joined(separator: ":")
  }
}
