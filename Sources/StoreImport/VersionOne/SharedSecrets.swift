/// The secrets that the store's notifications of version 1 are compared with.
///
/// A secret is never printed, stored or part of a digest, so this has no description of it.
public struct SharedSecrets: Sendable {
  private let secrets: [[UInt8]]

  /// - Parameter secrets: The app's shared secret of App Store Connect, and earlier ones.
  public init(_ secrets: [[UInt8]]) { self.secrets = secrets }

  /// Returns whether a password is one of the secrets.
  ///
  /// Every byte of every secret is compared, wherever the first difference is, so that the time
  /// tells nothing but the lengths.
  ///
  /// - Complexity: O(*n*) in the bytes of the secrets.
  func hold(_ password: String) -> Bool {
    var isHeld: UInt8 = 0
    for secret in secrets { isHeld |= Self.areEqual(Array(password.utf8), secret) }
    return isHeld == 1
  }

  /// Returns 1 if the two are equal, else 0, without a branch on what they contain.
  private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> UInt8 {
    guard left.count == right.count, !right.isEmpty else { return 0 }
    var difference: UInt8 = 0
    for index in right.indices { difference |= left[index] ^ right[index] }
    return difference == 0 ? 1 : 0
  }
}

/// What is believed of notifications of version 1.
public enum PasswordTrust: Sendable {
  /// Those whose password is one of these.
  case compared(SharedSecrets)
  /// Everything, without looking at passwords. The import is recorded as not verified.
  case unverified
  /// Nothing: no secret is configured.
  case noSecret
}

/// Blanks the passwords in a JSON file.
///
/// The digest of a file that `import.received` states must not let anybody test guesses of the
/// secret, so it is that of the file with `""` in place of each password.
enum PasswordBlanks {
  private static let name = Array("password".utf8)

  /// Returns the bytes without what stands in strings that are called `password`, at any depth.
  ///
  /// - Precondition: The bytes are JSON documents, which were read before.
  /// - Complexity: O(*n*) in the number of bytes.
  static func applied(to bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    var isPassword = false
    while index < bytes.count {
      let byte = bytes[index]
      guard byte == UInt8(ascii: "\"") else {
        // Between a name and its value is nothing but a colon and white space.
        if byte > 0x20 && byte != UInt8(ascii: ":") { isPassword = false }
        result.append(byte)
        index += 1
        continue
      }
      let end = endOfString(bytes, from: index)
      let text = bytes[index..<end]
      if isPassword {
        result += Array("\"\"".utf8)
      } else {
        result += text
      }
      let isValue = isPassword
      isPassword = !isValue && isName(text) && isFollowedByColon(bytes, end)
      index = end
    }
    return result
  }

  /// Returns the index after the string that begins at `start`.
  private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }

  private static func isFollowedByColon(_ bytes: [UInt8], _ end: Int) -> Bool {
    bytes[end...].first { $0 > 0x20 } == UInt8(ascii: ":")
  }

  /// Whether a string is the name, however it is written.
  private static func isName(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.contains(UInt8(ascii: "\\")) else {
      return text.dropFirst().dropLast().elementsEqual(name)
    }
    do throws(ImportError) {
      guard case .string(let text) = try StoreJSONReader.document(Array(text)).content else {
        return false
      }
      return Array(text.utf8) == name
    } catch {
      // A string that cannot be read was refused before.
      return false
    }
  }
}
