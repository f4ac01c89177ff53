import Foundation
import LedgerEvents
import SignedStoreData
import StoreImport

/// Recognizes an input that is not events as JSON Lines, and names the command that reads it or
/// makes it readable.
struct ForeignInput {
  /// The input's name; `-` is standard input.
  let file: String

  /// The byte order mark of UTF-8, which some editors write. It is not part of the first line.
  static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The largest document that is examined as a whole, in bytes.
  private static let documentBytesMax = 64 << 20

  // MARK: - By its first bytes

  /// What a file is that begins with these bytes; `nil` if it may be lines of text.
  func reason(beginning bytes: Data) -> String? {
    let formats: [(name: String, magic: [UInt8], tool: String)] = [
      ("gzip", [0x1F, 0x8B], "gzip -dc"), ("zstd", [0x28, 0xB5, 0x2F, 0xFD], "zstd -dc"),
      ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz -dc"), ("bzip2", Array("BZh".utf8), "bzip2 -dc"),
      ("zip", [0x50, 0x4B, 0x03, 0x04], "unzip -p"),
    ]
    for format in formats where bytes.starts(with: format.magic) {
      return "this is compressed (\(format.name)): run \(append(after: format.tool))"
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      return "this is UTF-16: run \(append(after: "iconv -f UTF-16 -t UTF-8"))"
    }
    // PKCS#7 begins with a sequence of unknown length, or of more than 255 bytes.
    if bytes.first == 0x30, [0x80, 0x82, 0x83].contains(bytes.dropFirst().first) {
      return receipt(importing("receipt"))
    }
    return nil
  }

  // MARK: - By its first line

  /// What a document is that begins with this line; `nil` if the line may be an event.
  func reason(beginning line: [UInt8]) -> String? {
    guard line.count <= eventSizeBytesMax, let first = line.first(where: { !Self.isSpace($0) }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "["), Self.isOpen(line)
    else { return nil }
    if let known = wholeDocument().flatMap(reason(ofDocument:)) { return known }
    return first == UInt8(ascii: "[")
      ? "this is a JSON array, and not one event a line: run \(append(after: "jq -c '.[]'"))"
      : "this JSON object goes over several lines: run \(append(after: "jq -c ."))"
  }

  /// Whether JSON that begins in a line does not end in it.
  private static func isOpen(_ line: [UInt8]) -> Bool {
    var depth = 0
    var isText = false
    var isEscaped = false
    for byte in line {
      switch byte {
      case UInt8(ascii: "\""): if !isEscaped { isText.toggle() }
      case UInt8(ascii: "{"), UInt8(ascii: "["): if !isText { depth += 1 }
      case UInt8(ascii: "}"), UInt8(ascii: "]"): if !isText { depth -= 1 }
      default: break
      }
      isEscaped = isText && byte == UInt8(ascii: "\\") && !isEscaped
    }
    return depth > 0
  }

  /// The file as one JSON document; `nil` if it is not one, and for standard input.
  private func wholeDocument() -> Any? {
    guard file != "-" else { return nil }
    do {
      let bytes = try FileHandle.readInput(
        file, as: "JSON", bytesMax: Self.documentBytesMax)
      return try JSONSerialization.jsonObject(with: Data(bytes))
    } catch {
      // Whatever it is, it is not a known document.
      return nil
    }
  }

  // MARK: - By its members

  /// What a line is that is not an event; `nil` if that is not known.
  func reason(of line: [UInt8]) -> String? {
    // A line of another system can end with a carriage return.
    let text = String(decoding: line, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let unquoted = text.trimmingCharacters(in: ["\""])
    if unquoted.wholeMatch(of: /eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/) != nil {
      return signedText(unquoted)
    }
    // Also the first of the lines in which base64 can be broken.
    if unquoted.wholeMatch(of: /MI[A-Za-z0-9+\/]{58,}=*/) != nil {
      return receipt(importing("receipt"))
    }
    if text.contains("rc_original_app_user_id") && !text.hasPrefix("{") {
      let format = ImportFormat.revenueCatExport
      return "this is \(format.described): run \(importing(format.rawValue))"
    }
    // The first line of a table: names, and nothing else.
    if text.wholeMatch(of: /"?[A-Za-z_][\w$."-]*([,;\t]["\w$.-]+){2,}/) != nil {
      return "this looks like a table: run `daybook import csv \(word) --map MAP` with a map of "
        + "its columns (docs/importing-tables.md)"
    }
    guard text.hasPrefix("{") || text.hasPrefix("[") else { return nil }
    do { return reason(ofDocument: try JSONSerialization.jsonObject(with: Data(line))) } catch {
      // It is not JSON, which the decoder has reported with its location.
      return nil
    }
  }

  private func reason(ofDocument document: Any) -> String? {
    if let elements = document as? [Any] {
      // An import reads an array as it is.
      if let first = elements.first, let known = imported(first) { return known }
      return "this is a JSON array, and not one event: run \(append(after: "jq -c '.[]'"))"
    }
    guard let object = document as? [String: Any] else { return nil }
    func has(_ names: String...) -> Bool { names.contains { object[$0] != nil } }
    let isEvent = has("type") && has("id", "occurredAt")
    let other = OtherFormat(
      has: { object[$0] != nil }, inner: { (object[$0] as? [String: Any])?[$1] != nil },
      text: { object[$0] as? String })
    if let other, !isEvent, other.format?.isSigned != false {
      guard let format = other.format else { return "this is \(other.what): \(other.remedy)" }
      return "this is \(other.what): run \(importing(format.rawValue))"
    }
    let receipts = Self.receiptMembers.filter { (object[$0] as? String)?.hasPrefix("MI") == true }
    if let name = receipts.first, !isEvent, !has("status") {
      return receipt("`jq -r '.\"\(name)\"' \(word) | daybook import receipt -`")
    }
    if let other, let format = other.format, [.notificationV1, .revenueCat].contains(format) {
      return "this is \(other.what): run \(importing(format.rawValue))"
    }
    if has("status"), has("receipt", "latest_receipt_info", "latest_receipt") {
      return "this is an answer of verifyReceipt: run \(importing("verify-receipt"))"
    }
    if has("subscriptionGroups"), has("products", "nonRenewingSubscriptions") {
      return "this is a StoreKit configuration: run \(importing("storekit-config"))"
    }
    if object["products"] is [Any], !has("type", "data") {
      return "this is a catalogue: run `daybook catalog set \(word)`"
    }
    if has("reason"), has("line"), has("text") {
      return "this is a line of --rejects: correct it, then run \(append(after: "jq -r .text"))"
    }
    return nil
  }

  /// What an element of an array is, if an import reads such an array as it is; `nil` if none does.
  private func imported(_ element: Any) -> String? {
    let known =
      if let text = element as? String {
        reason(of: Array(text.utf8))
      } else if let object = element as? [String: Any], object["occurredAt"] == nil {
        reason(ofDocument: object)
      } else { String?.none }
    let isRead = Self.arrayFormats.contains { known?.contains(importing($0.rawValue)) == true }
    return isRead ? known : nil
  }

  private static let arrayFormats: [ImportFormat] = [
    .notification, .transaction, .renewal, .appTransaction, .history, .notificationV1, .revenueCat,
  ]

  /// The members in which apps and libraries send a receipt to a server.
  private static let receiptMembers = [
    "receipt-data", "receipt_data", "receiptData", "transactionReceipt", "latest_receipt",
  ]

  /// What a signed text is, by the payload, which nobody verifies here.
  private func signedText(_ text: String) -> String {
    if let known = payload(of: text).flatMap(reason(ofDocument:)) {
      return known + ", with --app and the app's bundle id"
    }
    return "this is signed data of StoreKit 2 (a JWS): run \(importing("transaction")), or import "
      + "it as notification, renewal or app-transaction if it is that"
  }

  private func receipt(_ command: String) -> String {
    "this is an app's receipt: run \(command) with the app's bundle identifier as --app"
  }

  /// The payload as JSON; `nil` if the text only looks signed. The import says what is wrong then.
  private func payload(of text: String) -> Any? {
    do {
      let payload = Data(try UnverifiedPayload.decode(Array(text.utf8)))
      return try JSONSerialization.jsonObject(with: payload)
    } catch { return nil }
  }

  // MARK: - Commands

  private func append(after tool: String) -> String {
    file == "-" ? "`… | \(tool) | daybook append -`" : "`\(tool) \(word) | daybook append -`"
  }

  private func importing(_ format: String) -> String { "`daybook import \(format) \(word)`" }

  /// The name, quoted for a shell.
  private var word: String {
    let name = file.printable
    let isPlain = name.wholeMatch(of: /[A-Za-z0-9_.\/:@%+=,-]+/) != nil
    return isPlain ? name : "'" + name.replacing("'", with: #"'\''"#) + "'"
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}
