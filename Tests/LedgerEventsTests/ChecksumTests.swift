import Testing

@testable import LedgerEvents

struct ChecksumTests {
  /// Known results of the reference implementation (`xxhsum -H1`), by length.
  @Test(
    "the checksum is XXH64",
    arguments: [
      ("", 0xEF46_DB37_51D8_E999),
      ("a", 0xD24E_C4F1_A98C_6E5B),
      ("abc", 0x44BC_2CF5_AD77_0999),
      ("message digest", 0x066E_D728_FCEE_B3BE),
      ("abcdefghijklmnopqrstuvwxyz", 0xCFE1_F278_FA89_835C),
      ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 0xAAA4_6907_D304_7814),
      (
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
        0xE04A_477F_19EE_145D
      ),
    ] as [(String, UInt64)])
  func checksumXXH64(text: String, hash: UInt64) {
    #expect(XXH64.hash(Array(text.utf8).span) == hash)
  }
}
