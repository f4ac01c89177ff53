import Testing

@testable import LedgerEvents

@Suite("A packed UUID")
struct PackedUUIDTests {
  private func packed(_ text: String) -> PackedUUID? {
    let bytes = Array(text.utf8)
    return PackedUUID(bytes.span)
  }

  @Test("gives its text back")
  func roundTrip() throws {
    for step in 0..<2_000 as Range<UInt64> {
      let uuid = PackedUUID(
        high: step &* 0x9E37_79B9_7F4A_7C15, low: (step &+ 1) &* 0xBF58_476D_1CE4_E5B9)
      var text: [UInt8] = []
      uuid.append(to: &text)
      #expect(text.count == PackedUUID.textBytes)
      #expect(PackedUUID(text.span) == uuid)
      #expect(uuid.prefix == text.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }
    #expect(
      try #require(packed("01234567-89ab-cdef-fedc-ba9876543210"))
        == PackedUUID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210))
  }

  @Test("is no other text, whatever byte stands anywhere in it")
  func others() {
    let right = Array("01234567-89ab-cdef-fedc-ba9876543210".utf8)
    let digits = Set("0123456789abcdef".utf8)
    for index in right.indices {
      for byte in UInt8.min...UInt8.max {
        var text = right
        text[index] = byte
        let isDash = [8, 13, 18, 23].contains(index)
        let isRight = isDash ? byte == UInt8(ascii: "-") : digits.contains(byte)
        #expect((PackedUUID(text.span) != nil) == isRight, "byte \(byte) at \(index)")
      }
    }
    for count in 0..<right.count {
      let short = Array(right.prefix(count))
      #expect(PackedUUID(short.span) == nil)
    }
    let long = right + [UInt8(ascii: "0")]
    #expect(PackedUUID(long.span) == nil)
  }
}
