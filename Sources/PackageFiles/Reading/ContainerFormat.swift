/// The format of a file, detected from its first bytes.
public enum ContainerFormat: Sendable, Hashable {
  /// A xar, such as Apple's installer packages: `xar!`.
  case xar
  /// A zip: `PK`, and a local header or the end of an empty archive (APPNOTE 4.3).
  case zip

  init?(firstBytes: [UInt8]) {
    switch firstBytes.prefix(4) {
    case Array("xar!".utf8)[...]: self = .xar
    case [0x50, 0x4B, 0x03, 0x04], [0x50, 0x4B, 0x05, 0x06]: self = .zip
    default: return nil
    }
  }
}
