/// The bundle ids of the apps to which something is restricted.
package enum AppList {
  /// How many apps a list can have. Whoever needs more has no use for the restriction.
  package static let countMax = 64
  /// The longest id of an app, in characters, which App Store Connect takes.
  package static let idCountMax = 155

  /// Checks that the list is not too long and has nothing but bundle ids, each of them once.
  ///
  /// - Parameter what: What is restricted, such as `a token`.
  /// - Throws: ``TokenError``: `invalid`, with what was expected.
  package static func check(_ apps: [String], of what: String) throws(TokenError) {
    guard apps.count <= countMax else {
      throw TokenError(
        .invalid,
        "\(what) can be restricted to at most \(countMax) apps, and these are \(apps.count): "
          + "leave them out, or make several.")
    }
    for app in apps {
      guard (1...idCountMax).contains(app.utf8.count),
        app.utf8.allSatisfy({ isLetter($0) || [0x2D, 0x2E].contains($0) })
      else {
        throw TokenError(
          .invalid, "expected the bundle id of an app, such as com.example.maps, found \"\(app)\".")
      }
    }
    guard Set(apps).count == apps.count else {
      throw TokenError(.invalid, "an app is named twice: \(apps.joined(separator: ", ")).")
    }
  }

  /// Whether a byte is a letter or a digit of ASCII.
  static func isLetter(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
