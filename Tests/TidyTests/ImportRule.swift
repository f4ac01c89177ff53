/// Which module may import which: `CLMDB ← LMDB ← RunStorage` and `LedgerLog`, which `LedgerStore`
/// puts together with `LedgerModel`; `LedgerQueries` asks it; the rest above. The pure modules
/// import nothing but each other, not even Foundation; the oracle of the tests shares no code with
/// the reducer that it judges.
struct ImportRule: TidyRule {
  /// The modules that a module may import besides those of the toolchain.
  private static let own: [String: Set<String>] = [
    "LMDB": ["CLMDB"],
    "LedgerEvents": [],
    "LocalTime": ["LedgerEvents"],
    "LedgerModel": ["LedgerEvents"],
    "PageReading": ["LMDB"],
    "RunStorage": ["LMDB", "LedgerEvents"],
    "AgeFiles": ["Crypto", "CryptoExtras"],
    "SHA2": ["CSHA256", "Crypto"],
    "WorkThreads": [],
    "LedgerLog": [
      "LMDB", "PageReading", "AgeFiles", "LedgerEvents", "SHA2", "WorkThreads", "Crypto",
    ],
    "LedgerStore": [
      "LMDB", "PageReading", "AgeFiles", "RunStorage", "LedgerLog", "LedgerEvents", "LedgerModel",
      "WorkThreads",
    ],
    "LedgerQueries": ["LedgerStore", "LedgerModel", "LedgerEvents"],
    "Entitlements": ["LedgerQueries", "LedgerStore", "LedgerModel", "LedgerEvents"],
    "StoreImport": ["LedgerEvents", "LocalTime", "SignedStoreData", "Crypto"],
    "SignedStoreData": ["LedgerEvents", "Crypto", "CryptoExtras", "SwiftASN1", "X509"],
    "LedgerImport": [
      "LedgerQueries", "LedgerStore", "LedgerEvents", "StoreImport", "SignedStoreData",
    ],
    "QueueSimulator": ["LedgerEvents", "LedgerModel"],
    "Replay": [
      "LedgerQueries", "LedgerStore", "LedgerModel", "LedgerEvents", "ProductPages", "Crypto",
    ],
    "Audit": [
      "LMDB", "AgeFiles", "LedgerQueries", "LedgerStore", "LedgerModel", "LedgerEvents", "Crypto",
    ],
    "SQLiteRows": ["GRDB", "GRDBSQLite"],
    "LedgerExport": [
      "SQLiteRows", "PackageFiles", "LedgerAnswers", "LedgerQueries", "LedgerStore", "LedgerModel",
      "LedgerEvents", "WorkThreads", "Crypto", "GRDB",
    ],
    "PackageFiles": ["CArchive", "CFolder"],
    "HostedContent": ["PackageFiles", "LedgerEvents", "LedgerModel", "WorkThreads", "Crypto"],
    "ProductCatalogue": [
      "LedgerQueries", "LedgerStore", "LedgerModel", "LedgerEvents", "StoreImport",
    ],
    "ProductPages": ["LedgerEvents"],
    "daybook": [
      "LMDB", "AgeFiles", "LedgerEvents", "LedgerModel", "LedgerStore", "LedgerQueries",
      "Entitlements",
      "StoreImport", "SignedStoreData", "LedgerImport",
      "Replay",
      "QueueSimulator", "HostedContent", "ProductCatalogue", "ProductPages", "Audit",
      "LedgerExport", "LedgerAnswers", "PackageFiles", "LocalTime", "ServiceAccess", "Webhooks",
      "WorkThreads", "ArgumentParser", "UnixSignals",
    ],
    "LedgerAnswers": [
      "Audit", "ProductCatalogue", "Replay", "LedgerQueries", "LedgerStore", "LedgerModel",
      "LedgerEvents", "LocalTime",
    ],
    "ServiceAccess": ["PackageFiles", "LedgerEvents", "Crypto"],
    "Webhooks": [
      "ServiceAccess", "LedgerAnswers", "LedgerQueries", "LedgerStore", "LedgerModel", "LMDB",
      "LedgerEvents", "Crypto", "GRDB",
    ],
    "LedgerService": [
      "ServiceAccess", "Webhooks", "AsyncHTTPClient", "NIOHTTP1", "NIOHTTPTypes",
      "LedgerAnswers", "Audit",
      "LedgerQueries", "LedgerStore", "LedgerModel",
      "LedgerEvents", "Entitlements", "LedgerImport", "LocalTime", "StoreImport", "PackageFiles",
      "SignedStoreData", "ProductCatalogue", "ProductPages", "Replay",
      "Configuration", "CoreMetrics", "Crypto", "HTTPTypes",
      "Hummingbird", "HummingbirdCore", "HummingbirdHTTP2", "HummingbirdTLS", "Logging", "Metrics",
      "NIOCore", "NIOPosix", "NIOSSL", "NIOTLS", "ServiceLifecycle", "SystemPackage",
      "UnixSignals",
    ],
    "daybook-serve": [
      "LMDB", "LedgerService", "LedgerAnswers", "LedgerStore", "ServiceAccess", "WorkThreads",
      "ArgumentParser",
    ],
    "StorePull": [
      "PackageFiles", "LedgerEvents", "SignedStoreData", "Crypto", "SwiftASN1", "X509",
    ],
    "daybook-pull": [
      "StorePull", "LedgerEvents", "LocalTime", "ServiceAccess", "SignedStoreData", "WorkThreads",
      "ArgumentParser", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOSSL",
    ],
    "LedgerOracle": ["LedgerEvents"],
    "QueueAuditor": ["LedgerEvents"],
    "LedgerHistories": ["LedgerEvents"],
  ]

  /// The modules that come with Swift. Pure modules may use only the standard library.
  private static let toolchain: Set<String> = [
    "Foundation", "FoundationEssentials", "Glibc", "Musl", "Darwin", "Synchronization", "Dispatch",
  ]

  private static let pure: Set<String> = ["LedgerEvents", "LedgerModel", "QueueSimulator"]

  func breaches(in file: SourceFile) -> [Breach] {
    guard let module = file.module else { return [] }
    return file.code.enumerated().compactMap { index, line in
      guard let imported = Self.imported(by: line) else { return nil }
      if Self.allows(imported, in: module) { return nil }
      return Breach(
        path: file.path, line: index + 1, message: "\(module) may not import \(imported)")
    }
  }

  /// Returns the modules that a file imports, in the order of its lines.
  static func imports(of file: SourceFile) -> [String] { file.code.compactMap(imported) }

  private static func allows(_ imported: String, in module: String) -> Bool {
    if imported == "CLMDB" { return module == "LMDB" }
    if imported == "CSHA256" { return module == "SHA2" }
    if imported == "CHeap" { return module == "LedgerService" }
    if ["CArchive", "CFolder"].contains(imported) { return module == "PackageFiles" }
    guard let allowed = own[module] else { return true }
    return allowed.contains(imported)
      || (toolchain.contains(imported) && !pure.contains(module))
  }

  /// Returns the module that a line imports: `public import struct Foundation.Data` gives
  /// Foundation.
  private static func imported(by line: ArraySlice<UInt8>) -> String? {
    let words = line.words
    guard let keyword = words.firstIndex(of: "import") else { return nil }
    let before: Set<String> = [
      "public", "package", "internal", "fileprivate", "private", "preconcurrency", "testable",
      "unsafe", "_exported", "_implementationOnly",
    ]
    guard words[..<keyword].allSatisfy(before.contains) else { return nil }
    let kinds: Set<String> = [
      "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
    ]
    return words[(keyword + 1)...].first { !kinds.contains($0) }
  }
}
