/// Detects code that a system would run, from the first bytes of a file.
enum ExecutableKind {
  /// The number of bytes that are examined.
  static let headBytes = 1_024

  /// Returns a description of the code that a file contains; nil if it is not code.
  ///
  /// Mach-O is detected as in `mach-o/loader.h` and `mach-o/fat.h` in both byte orders, ELF by its
  /// specification, PE by Microsoft's (`MZ`, and `PE\0\0` at the offset in the header), WebAssembly
  /// by its core specification, bitcode by LLVM's *Bitcode File Format*, and archives of object
  /// files by `ar(5)`. The execute permission is ignored, because anyone who can read a file can
  /// copy it and set the permission.
  ///
  /// - Parameter head: The first ``headBytes`` bytes, or all bytes if there are fewer.
  static func name(head: [UInt8]) -> String? {
    if isScript(head) { return "a script" }
    if head.starts(with: "!<arch>\n".utf8) { return "an archive of object files" }
    guard head.count >= 4 else { return nil }
    let magic = head[..<4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    switch magic {
    case 0xFEED_FACE, 0xCEFA_EDFE, 0xFEED_FACF, 0xCFFA_EDFE:
      return "Mach-O code"
    case 0xCAFE_BABE, 0xBEBA_FECA, 0xCAFE_BABF, 0xBFBA_FECA:
      return "Mach-O code for several processors"
    case 0x7F45_4C46:
      return "ELF code"
    case 0x0061_736D:
      return "WebAssembly code"
    case 0x4243_C0DE, 0xDEC0_170B:
      return "LLVM bitcode"
    default:
      return isPortableExecutable(head) ? "code for Windows (PE)" : nil
    }
  }

  /// Returns whether a name is that of a dynamic library, whatever the file contains.
  static func isLibraryName(_ name: some StringProtocol) -> Bool {
    // The extension can be followed by a version: `libz.so.1.2`.
    let parts = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    let ending = parts.dropFirst().last { part in
      part.isEmpty || !part.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }
    guard let ending else { return false }
    return ending == "so" || parts.last == ending && (ending == "dylib" || ending == "dll")
  }

  /// Returns whether the file begins with `#!` and the path of an interpreter.
  private static func isScript(_ head: [UInt8]) -> Bool {
    guard head.starts(with: "#!".utf8) else { return false }
    return head.dropFirst(2).first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "/")
  }

  private static func isPortableExecutable(_ head: [UInt8]) -> Bool {
    guard head.starts(with: "MZ".utf8), head.count >= 64 else { return false }
    let offset = head[60..<64].reversed().reduce(0) { $0 << 8 | Int($1) }
    // If the header lies beyond the examined bytes, but not far, assume that it is one.
    guard offset + 4 <= head.count else { return offset < 1 << 20 && head.count == headBytes }
    return Array(head[offset..<offset + 4]) == [0x50, 0x45, 0, 0]
  }
}
