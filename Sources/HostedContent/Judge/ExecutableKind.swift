/// Code that a system would run, detected from the first bytes of a file.
enum ExecutableKind {
  /// How many bytes are examined.
  static let headBytes = 1_024

  /// What kind of code a file is, in words; nil if it is none.
  ///
  /// Mach-O by `mach-o/loader.h` and `mach-o/fat.h` in both byte orders, ELF by its specification,
  /// PE by Microsoft's: `MZ`, and `PE\0\0` where the header says.
  ///
  /// - Parameters:
  ///   - head: the first ``headBytes`` bytes, or all.
  ///   - isRunnable: whether any of the permissions to run it is set.
  static func name(head: [UInt8], isRunnable: Bool) -> String? {
    if isRunnable, head.starts(with: [UInt8(ascii: "#"), UInt8(ascii: "!")]) {
      return "a script that can be run"
    }
    guard head.count >= 4 else { return nil }
    let magic = head[..<4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    switch magic {
    case 0xFEED_FACE, 0xCEFA_EDFE, 0xFEED_FACF, 0xCFFA_EDFE:
      return "Mach-O code"
    case 0xCAFE_BABE, 0xBEBA_FECA, 0xCAFE_BABF, 0xBFBA_FECA:
      return "Mach-O code for several processors"
    case 0x7F45_4C46:
      return "ELF code"
    default:
      return isPortableExecutable(head) ? "code for Windows (PE)" : nil
    }
  }

  /// Names of dynamic libraries, whatever is in them.
  static func isLibraryName(_ name: some StringProtocol) -> Bool {
    let name = name.lowercased()
    return [".dylib", ".so", ".dll"].contains { name.hasSuffix($0) }
  }

  private static func isPortableExecutable(_ head: [UInt8]) -> Bool {
    guard head.starts(with: "MZ".utf8), head.count >= 64 else { return false }
    let offset = head[60..<64].reversed().reduce(0) { $0 << 8 | Int($1) }
    // A header further behind than what is looked at is taken for one.
    guard offset + 4 <= head.count else { return offset < 1 << 20 && head.count == headBytes }
    return Array(head[offset..<offset + 4]) == [0x50, 0x45, 0, 0]
  }
}
