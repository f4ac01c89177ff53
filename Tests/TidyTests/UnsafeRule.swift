/// Unsafe code is allowed only where C is called: in LMDB, in PackageFiles for archives and
/// folders, in SHA2 for the processor's instructions, in SQLiteRows for SQLite, in WorkThreads for
/// threads and signals, and where the simulator of the store names its disk's folders.
struct UnsafeRule: TidyRule {
  private static let modules: Set<String> = [
    "LMDB", "PackageFiles", "SHA2", "SQLiteRows", "WorkThreads",
  ]
  private static let files: Set<String> = ["Tools/StoreSimulator/Program/Disk.swift"]

  func breaches(in file: SourceFile) -> [Breach] {
    guard file.isProductCode, !Self.modules.contains(file.module ?? ""),
      !Self.files.contains(file.path)
    else { return [] }
    return file.code.enumerated().compactMap { index, line in
      // A cheap check first: few lines contain these letters at all.
      guard !line.offsets(of: [UInt8]("nsafe".utf8)).isEmpty else { return nil }
      let word = line.words.first { word in
        word.hasPrefix("unsafe") || word.hasPrefix("Unsafe") || word.hasPrefix("withUnsafe")
      }
      return word.map {
        Breach(
          path: file.path, line: index + 1,
          message: "\($0) stands outside LMDB, PackageFiles, SHA2, SQLiteRows and WorkThreads")
      }
    }
  }
}
