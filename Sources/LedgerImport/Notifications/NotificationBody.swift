import LedgerEvents
import SignedStoreData
import StoreImport

/// The body of a request with a notification: `{"signedPayload":"…"}`.
///
/// Source: Apple's documentation of `responseBodyV2`.
struct NotificationBody {
  /// The signed text. Nothing of it is verified.
  let signed: [UInt8]

  private static let member = "signedPayload"

  /// - Complexity: O(*n*) in the number of bytes.
  init(_ body: [UInt8]) throws(IntakeRefusal) {
    guard body.count <= notificationBodyBytesMax else {
      throw IntakeRefusal(
        .unreadable, check: "tooLarge",
        "the body has \(body.count) bytes, more than \(notificationBodyBytesMax). Send one "
          + "notification in each request.")
    }
    let document: JSONValue
    do throws(EventError) { document = try JSONValue(document: body, nulls: .leftOut) } catch {
      throw IntakeRefusal(
        .unreadable, check: "malformed",
        "the body is not JSON (line \(error.line), column \(error.column)). Send it as the App "
          + "Store does: {\"\(Self.member)\":\"…\"}.")
    }
    guard let text = document[Self.member]?.string else { throw Self.otherFormat(document) }
    signed = Array(text.utf8)
  }

  private static func otherFormat(_ document: JSONValue) -> IntakeRefusal {
    let expected = "expected the member \(member) with a signed text"
    guard document[member] == nil else {
      return IntakeRefusal(
        .unreadable, check: "badValue",
        "\(expected), found something else than a text there. Send the body unchanged.")
    }
    let other = OtherFormat(
      has: { document[$0] != nil }, inner: { document[$0]?[$1] != nil },
      text: { document[$0]?.string })
    switch other?.format {
    case .notificationV1?:
      return IntakeRefusal(
        .unreadable, check: "otherFormat",
        "\(expected), found a server notification of version 1. Choose version 2 in App Store "
          + "Connect, or import files with daybook import notification-v1.")
    case .notification?:
      return IntakeRefusal(
        .unreadable, check: "otherFormat",
        "\(expected), found a decoded notification, which nobody signed. Send the body unchanged.")
    default:
      let found = other.map { ", found \($0.what)" } ?? ""
      return IntakeRefusal(
        .unreadable, check: "otherFormat",
        "\(expected)\(found). This address takes App Store Server Notifications of version 2.")
    }
  }
}

/// What an unverified payload says about its app. It chooses the app for which the payload is then
/// verified, and nothing else.
struct ClaimedApp {
  let bundleID: String?
  let appAppleID: Int64?

  /// The parts of a notification that name its app.
  private static let parts = ["data", "summary", "appData", "externalPurchaseToken"]

  /// - Complexity: O(*n*) in the number of bytes.
  init(of signed: [UInt8]) throws(SignedDataError) {
    let payload = try UnverifiedPayload.decode(signed)
    let document: JSONValue?
    do throws(EventError) { document = try JSONValue(document: payload, nulls: .leftOut) } catch {
      // The verifier says what is wrong with it, once it has looked who signed it.
      document = nil
    }
    let part = Self.parts.lazy.compactMap { document?[$0] }.first { $0["bundleId"]?.string != nil }
    bundleID = part?["bundleId"]?.string
    appAppleID = part?["appAppleId"]?.integer
  }
}

/// The maximum size of a request with a notification, in bytes.
///
/// A signed text of `signedDataBytesMax`, and a kibibyte for the JSON around it.
package let notificationBodyBytesMax = signedDataBytesMax + 1_024
