internal import Foundation

/// Base64 without padding and in canonical form only, as the headers of age files have it.
enum RawBase64 {
  static func encode(_ bytes: [UInt8]) -> String {
    String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
  }

  /// The bytes of a text; nil if they would be encoded differently.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let text = String(text)
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: text + padding) else { return nil }
    let bytes = [UInt8](data)
    return encode(bytes).utf8.elementsEqual(text.utf8) ? bytes : nil
  }
}
