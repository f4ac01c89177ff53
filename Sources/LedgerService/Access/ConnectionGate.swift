import Metrics
import NIOCore
import Synchronization

/// How many connections each address has, so that one client cannot take those of all.
///
/// An address of this machine has no limit: whatever comes from there is a program of its owner, or
/// a proxy with the connections of many clients. Other proxies are named in the settings.
final class ConnectionGate: Sendable {
  private let most: Int
  private let proxies: Set<String>
  private let counts = Mutex<[ClientAddress: Int]>([:])

  /// - Parameters:
  ///   - most: How many connections an address has at the same time; nil for any number.
  ///   - proxies: Addresses without a limit.
  init(most: Int?, proxies: [String]) {
    self.most = most ?? .max
    self.proxies = Set(proxies.compactMap(Self.plain))
  }

  /// Counts a connection. Returns false if its address has as many as it may, and then it is not
  /// counted.
  func enter(_ address: SocketAddress?) -> Bool {
    guard let client = counted(address) else { return true }
    let isTaken = counts.withLock { counts in
      guard counts[client, default: 0] < most else { return false }
      counts[client, default: 0] += 1
      return true
    }
    if !isTaken { Counter(label: "daybook.connections.refused").increment() }
    return isTaken
  }

  /// Ends a connection that was counted.
  func leave(_ address: SocketAddress?) {
    guard let client = counted(address) else { return }
    counts.withLock { counts in
      guard let count = counts[client] else { return }
      counts[client] = count > 1 ? count - 1 : nil
    }
  }

  /// How many addresses have connections.
  var clientCount: Int { counts.withLock { $0.count } }

  /// Whose connections are counted together; nil for those that have no limit.
  private func counted(_ address: SocketAddress?) -> ClientAddress? {
    guard let text = address?.ipAddress, let plain = Self.plain(text),
      !Self.isLoopback(plain), !proxies.contains(plain)
    else { return nil }
    return ClientAddress(plain)
  }

  private static func isLoopback(_ address: String) -> Bool {
    address == "::1" || address.hasPrefix("127.")
  }

  /// What stands before an address of IPv4 in one of IPv6 (RFC 4291, section 2.5.5.2).
  private static let mappedPrefix = "::ffff:"

  /// An address as the system writes it; nil if it is none.
  static func plain(_ text: String) -> String? {
    // A zone names an interface of this machine.
    let address = text.prefix { $0 != "%" }
    let isMapped = address.hasPrefix(mappedPrefix) && address.contains(".")
    let inner = isMapped ? address.dropFirst(mappedPrefix.count) : address
    do { return try SocketAddress(ipAddress: String(inner), port: 0).ipAddress } catch {
      return nil
    }
  }
}
