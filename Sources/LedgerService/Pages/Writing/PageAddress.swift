import LedgerEvents
import LedgerQueries

/// An address of the pages, with a query.
struct PageAddress: Sendable {
  private(set) var path: String
  private var items: [(name: String, value: String)] = []
  private var fragment: String?
  private var step: UInt64?

  /// - Parameter path: The path; what is put into it must be encoded.
  init(_ path: String, _ items: [(String, String?)] = []) {
    self.path = path
    for (name, value) in items { add(name, value) }
  }

  /// Adds an item of the query; nothing for nil.
  mutating func add(_ name: String, _ value: String?) {
    if let value { items.append((name, value)) }
  }

  func adding(_ name: String, _ value: String?) -> PageAddress {
    var other = self
    other.add(name, value)
    return other
  }

  func at(_ fragment: String) -> PageAddress {
    var other = self
    other.fragment = fragment
    return other
  }

  /// The address of a replay that is opened at the event of a position.
  func at(step: UInt64) -> PageAddress {
    var other = self
    other.step = step
    return other
  }

  /// The address as a link has it: nothing but ASCII, and nothing that HTML or HTTP would read
  /// otherwise.
  var text: String {
    let query = items.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }
    return path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
      + (fragment.map { "#" + Self.encoded($0) } ?? step.map { "#step=\($0)" } ?? "")
  }

  /// Percent-encoding of everything but the unreserved characters of RFC 3986, section 2.3.
  static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: encoded.append(byte)
      default:
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}

extension PageAddress {
  static func customer(_ customer: CustomerReference) -> PageAddress {
    PageAddress("/customer", [item(customer)])
  }

  static func account(_ name: Name) -> PageAddress { customer(.account(name)) }

  static func event(_ position: UInt64) -> PageAddress { PageAddress("/events/\(position)") }

  /// How a query names a customer.
  static func item(_ customer: CustomerReference) -> (String, String?) {
    switch customer {
    case .account(let name): ("account", name.text)
    case .transaction(let name): ("transaction", name.text)
    case .original(let name): ("original", name.text)
    }
  }
}

extension HTML.Pieces {
  mutating func appendInterpolation(_ address: PageAddress) {
    appendInterpolation(exact: address.text)
  }
}
