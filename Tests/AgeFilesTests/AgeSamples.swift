import Foundation

@testable import AgeFiles

/// SplitMix64: the same seed gives the same file.
struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

/// Keys, and files that age 1.1.1 has made for them.
enum AgeSamples {
  /// Made by age-keygen.
  static let first = "AGE-SECRET-KEY-13Y3A6NTUZ0MFV2RXAGEAM7AG968KHQ7FAKAFTZ4KPAVSZZY4YSPQPLLTRC"
  static let firstRecipient = "age1kry7ahu2cvpc3f8y0tthzjmuryc060kud4eqp9rv6t8jfltaa9fsg5v8tn"
  static let second = "AGE-SECRET-KEY-15TA9QRG0UPC5TUFZJJ6VG0XDRCUDC573YQC8E4E0T7U47CSWMVQQFFX9NH"
  static let secondRecipient = "age1cjmydpdj9ctrzycjgs93zhdmahqx2w95mprklf6v4ujjadpcp4mqurqgh3"

  /// The plain text of the files that are not empty.
  static let plain = Array("a purchase\n".utf8)

  /// `age -r FIRST -r SECOND`.
  static let toBoth = bytes(
    """
    YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBUaXhxR29kMURmSUU1aFFobGZHNG9ZU1lq
    YnNpSzB3MUwvSlBabU9PTGlBCmdhTnhFOEUxa01qVjBtL0lOcW0vc2hKRTJMNi9wUzFoeVlMWmhR
    WmxkWUkKLT4gWDI1NTE5IHpvQ1ZtNFJJTmRrTFFyb1l2ZXJXTWl1cFpIWXFROGozTFFtMEFTZTNP
    R2sKdmFFRjRsMU5DdVFrakd4ci9UL3VGZXlSYVErQTFZcUdCUEY1MVZORDNwUQotLS0gTjUwL2lD
    ZHozdk0xVWVDSWNXWThVNDI1WEhFZEhTY2FpUXBtZkdDa3pBawoSH/RFSzDrSPGhJulHftKQBvHa
    +COQOlo/oHl04/PXfrnu7l8Cyg2OKEnC
    """)

  /// `age -r FIRST` of an empty file.
  static let empty = bytes(
    """
    YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBmVTg0ODBPVUFyOUErVzF3d1BCdXhGQ2pP
    QW85TnB4SXZUNURrd1k4K0gwCjVyMGs0L3JMSzJUcThCWlkxM2ZoTUNJM2hJUWpQY2RLWTJHSHU2
    a1JNOG8KLS0tIHdJcGFKRDRtdk9qcG5hemU2Zm9pWCtIOWdOQm5seXhqVW1xcXp2SE81R28KBA2J
    mBaDHwsr5TjQKx88AiJ2ID+w3Dhm+jocEvrPLlg=
    """)

  static let phrase = "correct horse"

  /// `age -p` with the phrase.
  static let withPassphrase = bytes(
    """
    YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBSVGF0bkxaOWJyZUs2TnJtSGIvVHJ3IDE4
    CnlSblRiSW1HZVhLalNzQ2hmck9hRWU4UFhyNkpWMEVSa2Jwck5JQ3cyOUkKLS0tIGpWaDZudGNk
    NXRSWHd2bVk5NHJNbHFJK081NHh2ZlZySjZCWW10NlJsemMKOOFu+nED8b5IktTme17dM5c8/lH+
    FjGs9wEXm0ZSncR/nThh5R0zJJaAPA==
    """)

  private static func bytes(_ text: String) -> [UInt8] {
    [UInt8](Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())
  }

  static func identities(_ texts: String...) throws -> AgeDecryption {
    .identities(try texts.map { try AgeIdentity($0) })
  }

  /// A passphrase that takes hardly any work.
  static func quick(_ phrase: String) throws -> AgePassphrase {
    try AgePassphrase(Array(phrase.utf8), workFactor: 1)
  }

  /// A file to the first identity.
  static func sealed(_ plain: [UInt8], seed: UInt64 = 1) throws -> [UInt8] {
    var random = SeededNumbers(state: seed)
    return try AgeFile.seal(
      plain, for: .recipients([AgeRecipient(firstRecipient)]), using: &random)
  }

  static func opened(_ file: [UInt8]) throws -> [UInt8] {
    try AgeFile.open(file, with: identities(first))
  }
}
