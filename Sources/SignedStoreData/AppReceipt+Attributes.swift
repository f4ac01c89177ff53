internal import Crypto
internal import Foundation
internal import LedgerEvents
internal import SwiftASN1

extension AppReceipt {
  /// - Parameter content: What is signed.
  init(content: [UInt8]) throws(SignedDataError) {
    let found = try ReceiptAttributes(
      content[...], of: "the receipt", once: [0, 2, 3, 4, 5, 12, 18, 19, 21],
      lists: [Self.purchaseType])
    type = try found.text(0)
    bundleID = try found.text(2)
    bundleIDBytes = found.bytes(2)
    appVersion = try found.text(3)
    opaqueValue = found.bytes(4)
    deviceHash = found.bytes(5)
    createdAt = try found.date(12)
    originalPurchasedAt = try found.date(18)
    originalAppVersion = try found.text(19)
    expiresAt = try found.date(21)
    var purchases: [Purchase] = []
    for value in found.list(Self.purchaseType) {
      purchases.append(try Purchase(content: value, number: purchases.count + 1))
    }
    self.purchases = purchases
    otherAttributes = found.others
  }

  private static let purchaseType: Int64 = 17

  /// Whether the receipt was made for a device, by the hash that it carries (5).
  ///
  /// - Parameter device: What the app knows its device by: the bytes of the `identifierForVendor`;
  ///   on a Mac those of the network interface's address.
  /// - Complexity: O(1).
  public func isFor(device: [UInt8]) -> Bool {
    var hash = Insecure.SHA1()
    hash.update(data: device)
    hash.update(data: opaqueValue)
    hash.update(data: bundleIDBytes)
    return Array(hash.finalize()) == deviceHash
  }
}

extension AppReceipt.Purchase {
  fileprivate init(content: ArraySlice<UInt8>, number: Int) throws(SignedDataError) {
    let found = try ReceiptAttributes(
      content, of: "purchase \(number) of the receipt",
      once: [1701, 1702, 1703, 1704, 1705, 1706, 1708, 1711, 1712, 1713, 1719, 1721], lists: [])
    quantity = try found.integer(1701)
    product = try found.text(1702)
    transaction = try found.text(1703)
    purchasedAt = try found.date(1704)
    originalTransaction = try found.text(1705)
    originalPurchasedAt = try found.date(1706)
    expiresAt = try found.date(1708)
    webOrderLineItem = try found.integer(1711)
    cancelledAt = try found.date(1712)
    isTrial = try found.flag(1713)
    isIntroductoryOffer = try found.flag(1719)
    promotionalOffer = try found.text(1721)
    otherAttributes = found.others
  }
}

/// A set of attributes: `SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`.
private struct ReceiptAttributes {
  private struct Attribute {
    let type: Int64
    let version: Int64
    let value: ArraySlice<UInt8>
  }

  /// What has these attributes, for messages.
  private let owner: String
  private let attributes: [Attribute]
  /// The values of the attributes that occur once.
  private var values: [Int64: ArraySlice<UInt8>] = [:]
  /// The types that are read here.
  private let known: Set<Int64>

  /// - Parameters:
  ///   - once: The types that are read here and occur once.
  ///   - lists: The types that are read here and may occur several times.
  init(
    _ content: ArraySlice<UInt8>, of owner: String, once: Set<Int64>, lists: Set<Int64>
  ) throws(SignedDataError) {
    self.owner = owner
    known = once.union(lists)
    do {
      attributes = try Self.attributes(content)
    } catch {
      if let error = error as? SignedDataError, error.code == .tooLarge { throw error }
      throw Self.malformed("\(owner) is not a set of attributes (a type, a version and a value)")
    }
    for attribute in attributes where once.contains(attribute.type) {
      // Two readers could take two different ones.
      guard let known = values.updateValue(attribute.value, forKey: attribute.type) else {
        continue
      }
      guard known == attribute.value else {
        throw Self.malformed("\(owner) has attribute \(attribute.type) twice, with two values")
      }
    }
  }

  private static func attributes(_ content: ArraySlice<UInt8>) throws -> [Attribute] {
    let root = try ReceiptElements.parse(content)
    guard root.identifier == .set, case .constructed(let nodes) = root.content else {
      throw malformed("not a set")
    }
    return try nodes.map { node in
      try BER.sequence(node, identifier: .sequence) { nodes in
        Attribute(
          type: try Int64(derEncoded: &nodes), version: try Int64(derEncoded: &nodes),
          value: try ASN1OctetString(berEncoded: &nodes).bytes)
      }
    }
  }

  func list(_ type: Int64) -> [ArraySlice<UInt8>] {
    attributes.filter { $0.type == type }.map(\.value)
  }

  func bytes(_ type: Int64) -> [UInt8] { Array(values[type] ?? []) }

  /// The attributes that are not read here.
  var others: [ReceiptAttribute] {
    attributes.filter { !known.contains($0.type) }.map {
      ReceiptAttribute(type: $0.type, version: $0.version, value: Array($0.value))
    }
  }

  /// A text in UTF-8 or ASCII; nil if it is absent or empty.
  func text(_ type: Int64) throws(SignedDataError) -> String? {
    guard let node = try node(type, "a text") else { return nil }
    guard [.utf8String, .ia5String, .printableString].contains(node.identifier),
      case .primitive(let bytes) = node.content,
      let text = String(validating: bytes, as: UTF8.self)
    else { throw other(type, "a text") }
    return text.isEmpty ? nil : text
  }

  /// A date (RFC 3339); nil if it is absent or empty.
  func date(_ type: Int64) throws(SignedDataError) -> Instant? {
    guard var text = try text(type) else { return nil }
    // Xcode 12 writes the offset without a colon: `2020-07-22T18:33:15+0100`. Counted in bytes:
    // what looks like a plus sign can be part of a longer character.
    var bytes = Array(text.utf8)
    if bytes.count > 5, [0x2B, 0x2D].contains(bytes[bytes.count - 5]) {
      bytes.insert(UInt8(ascii: ":"), at: bytes.count - 2)
      text = String(decoding: bytes, as: UTF8.self)
    }
    guard let date = Instant(rfc3339: text), date.isWritable else { throw other(type, "a date") }
    return date
  }

  func integer(_ type: Int64) throws(SignedDataError) -> Int64? {
    guard let node = try node(type, "a whole number") else { return nil }
    do { return try Int64(derEncoded: node) } catch { throw other(type, "a whole number") }
  }

  func flag(_ type: Int64) throws(SignedDataError) -> Bool? {
    switch try integer(type) {
    case nil: return nil
    case 0: return false
    case 1: return true
    default: throw other(type, "0 or 1")
    }
  }

  private func node(_ type: Int64, _ expected: String) throws(SignedDataError) -> ASN1Node? {
    guard let value = values[type], !value.isEmpty else { return nil }
    do { return try ReceiptElements.parse(value) } catch { throw other(type, expected) }
  }

  private func other(_ type: Int64, _ expected: String) -> SignedDataError {
    Self.malformed("attribute \(type) of \(owner) is not \(expected)")
  }

  private static func malformed(_ reason: String) -> SignedDataError {
    SignedDataError(
      .malformedPayload, reason,
      remedy: "If the store signed it all the same, keep it, and report it to whoever writes "
        + "Daybook")
  }
}

extension Instant {
  /// Whether RFC 3339 can write the time in UTC: an offset can lead out of the years 0000 to 9999.
  fileprivate var isWritable: Bool {
    let first: Int64 = -62_167_219_200_000_000
    return (first...Instant.microsecondsMax).contains(microseconds)
  }
}
