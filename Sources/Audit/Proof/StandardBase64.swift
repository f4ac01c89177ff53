internal import Foundation

/// Base64 with padding and in canonical form only (RFC 4648, section 4).
///
/// Text that would be encoded differently is refused. Otherwise, somebody could change a signed
/// file unnoticed by using another text for the same bytes.
enum StandardBase64 {
  static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let text = String(text)
    guard let data = Data(base64Encoded: text) else { return nil }
    guard data.base64EncodedString().utf8.elementsEqual(text.utf8) else { return nil }
    return [UInt8](data)
  }
}
