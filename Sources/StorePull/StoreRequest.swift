package import LedgerEvents

/// One request, before it has an address and a token.
package struct StoreRequest: Sendable, Equatable {
  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
  }

  package var endpoint: StoreEndpoint
  package var method: Method
  /// The path with its query, encoded.
  package var target: String
  /// JSON.
  package var body: [UInt8]?

  /// A page of the transaction history, of refunds or of the statuses of subscriptions.
  ///
  /// The history is asked in ascending order, so that what changes later comes in later pages and a
  /// revision stays good.
  ///
  /// - Parameter revision: The one of the page before; nil for the first page.
  package static func page(
    of list: StoreList, transaction: StoreTransactionID, revision: String?
  ) -> StoreRequest {
    let path =
      switch list {
      case .history: "/inApps/v2/history/\(transaction.text)"
      case .refunds: "/inApps/v2/refund/lookup/\(transaction.text)"
      case .statuses: "/inApps/v1/subscriptions/\(transaction.text)"
      case .notifications: preconditionFailure("notifications are of an app, not a transaction")
      }
    var query: [(String, String)] = []
    if let revision { query.append(("revision", revision)) }
    if list == .history { query.append(("sort", "ASCENDING")) }
    return StoreRequest(
      endpoint: list.endpoint, method: .get, target: target(path, query), body: nil)
  }

  /// A page of the notification history. All pages of one question have the same body.
  package static func notifications(
    _ question: NotificationQuestion, token: String?
  ) -> StoreRequest {
    var members: [(name: String, value: JSONValue)] = [
      ("startDate", .number("\(question.start)")), ("endDate", .number("\(question.end)")),
    ]
    if question.onlyFailures { members.append(("onlyFailures", .boolean(true))) }
    if let transaction = question.transaction {
      members.append(("transactionId", .string(transaction)))
    }
    if let type = question.type { members.append(("notificationType", .string(type))) }
    if let subtype = question.subtype { members.append(("notificationSubtype", .string(subtype))) }
    return StoreRequest(
      endpoint: .notifications, method: .post,
      target: target(
        "/inApps/v1/notifications/history", token.map { [("paginationToken", $0)] } ?? []),
      body: JSONValue.object(members).json)
  }

  /// Set App Account Token, for the original transaction of a purchase.
  package static func accountToken(
    _ token: AccountToken, of original: StoreTransactionID
  ) -> StoreRequest {
    StoreRequest(
      endpoint: .accountToken, method: .put,
      target: "/inApps/v1/transactions/\(original.text)/appAccountToken",
      body: JSONValue.object([("appAccountToken", .string(token.text))]).json)
  }

  private static func target(_ path: String, _ query: [(String, String)]) -> String {
    guard !query.isEmpty else { return path }
    return path + "?" + query.map { "\($0)=\(encoded($1))" }.joined(separator: "&")
  }

  /// Percent-encodes everything but the unreserved characters of RFC 3986.
  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return text.utf8.reduce(into: "") { encoded, byte in
      let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && byte < 0x80
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      if isLetter || isDigit || "-._~".utf8.contains(byte) {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        encoded += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }
}

/// The identifier of a transaction as the store gives it, which is safe in an address and in the
/// name of a file.
package struct StoreTransactionID: Sendable, Hashable {
  /// The number of bytes that an identifier may have. The store's have about 16.
  package static let bytesMax = 64

  package let text: String

  /// Nil unless the text consists of digits, letters and hyphens.
  package init?(_ text: String) {
    let isPlain = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "-")
    }
    guard isPlain, !text.isEmpty, text.utf8.count <= Self.bytesMax else { return nil }
    self.text = text
  }
}

/// An account as the store takes it: a UUID.
package struct AccountToken: Sendable, Hashable {
  package let text: String

  /// Nil unless the text is a UUID as in RFC 9562: 8, 4, 4, 4 and 12 hexadecimal digits.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12],
      parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isHexDigit } })
    else { return nil }
    self.text = text.lowercased()
  }
}

/// Times as the store writes them, in milliseconds since 1970.
enum Milliseconds {
  /// The years 0000 to 9999, which RFC 3339 can write.
  static let known: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
}

/// Which notifications are asked for. The store takes either a transaction or a type.
package struct NotificationQuestion: Sendable, Equatable, Codable {
  /// From when and until when, in milliseconds since 1970.
  package var start: Int64
  package var end: Int64
  package var onlyFailures = false
  package var transaction: String?
  package var type: String?
  package var subtype: String?

  package init(start: Int64, end: Int64) { (self.start, self.end) = (start, end) }

  /// Whether its times are such as a calendar has, one after the other.
  var isPlausible: Bool {
    Milliseconds.known.contains(start) && Milliseconds.known.contains(end) && start <= end
  }

  /// How long the first moment that is asked for stays clear of the limit of the history, in
  /// milliseconds: the store's clock and this one may differ.
  static let marginMilliseconds: Int64 = 10 * 60 * 1_000

  /// The earliest moment that the store answers for, in milliseconds since 1970.
  package static func earliest(in environment: StoreHost.Environment, at now: Instant) -> Int64 {
    let reach = environment.notificationDays * Instant.day / 1_000
    return now.microseconds / 1_000 - reach + marginMilliseconds
  }
}
