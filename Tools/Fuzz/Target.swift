/// One decoder under test: inputs to change, and what must hold of any bytes.
struct Target {
  let name: String
  /// Right inputs, which are changed at random.
  let samples: [[UInt8]]
  /// Parts of inputs that are inserted.
  let tokens: [[UInt8]]
  /// How many inputs a round has. Fast decoders get more, so that each target has its share of the
  /// time: some 20 to 200 ms.
  let inputsPerRound: Int
  /// Decodes bytes. Returns whether they were right, and throws ``Broken`` if something does not
  /// hold.
  let check: ([UInt8]) throws -> Bool

  init(
    _ name: String, _ samples: [[UInt8]], tokens: [[UInt8]] = Target.bytes,
    inputsPerRound: Int = 500, _ check: @escaping ([UInt8]) throws -> Bool
  ) {
    self.name = name
    self.samples = samples
    self.tokens = tokens
    self.inputsPerRound = inputsPerRound
    self.check = check
  }

  /// Lengths, counts and flags of binary formats.
  static let bytes: [[UInt8]] = [
    [0xFF, 0xFF, 0xFF, 0xFF], [0xF0, 0xFF, 0xFF], [0xF1, 0xFF, 0xFF, 0xFF, 0xFF], [0xF4], [0xF5],
    [0xF6], [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7F], [0], [1],
    [21, 2, 0x5B, 0x5D], [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
    [0x80, 0, 0, 0, 0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
  ]

  /// Values and punctuation of JSON.
  static let json: [[UInt8]] = [
    "null", "true", "-0", "1e999", "0.1", "9223372036854775808", "-9223372036854775808", "\"\"",
    "{}", "[]", "[", "{", "}", "]", ",", ":", "\"", "\\u0000", "\\ud83d\\ude00", "\\ud800", "\\",
    "é", "\n", "\"2016-12-31T23:59:60Z\"", "\"0000-01-01T00:00:00Z\"",
    "\"2014-03-05T10:00:01.120Z\"", "\"to\":\"B\"", "\"error\":{}", "\"signedAt\":", "\"x\":1,",
    "\"data\":{\"a\":1}", "\"P1M\"", "  ", "\t",
  ].map { Array($0.utf8) }

  /// Lines and numbers of signed notes and of what is built on them.
  static let notes: [[UInt8]] = [
    "\n", "\n\n", "— ", "old 0\n", "old 18446744073709551615\n", "index 9223372036854775807\n",
    "size 0\n", "0", "18446744073709551616", "AAAA", "=", " ", "+", "-> X25519 AAAA\n", "--- ",
    "sha256 ", "c2sp.org/tlog-proof@v1\n", "\u{FEFF}", "\r\n",
  ].map { Array($0.utf8) }
}

/// Something that must hold of any bytes, and does not.
struct Broken: Error, CustomStringConvertible {
  let description: String

  static func unless(_ condition: Bool, _ what: String) throws {
    if !condition { throw Broken(description: what) }
  }
}
