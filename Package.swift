// swift-tools-version: 6.3
import PackageDescription

/// Settings every Swift target shares: the language mode of Swift 6 and the upcoming features that
/// keep modules honest about what they import and what they leave unsafe.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// `@_lifetime` on functions that lend bytes out of a page (SE-0446 and its successors).
let lifetimes: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

// Products that many targets need.
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")

/// The HTTP server of `daybook-serve`.
let server: [Target.Dependency] = ["", "Core", "HTTP2", "TLS"].map {
  .product(name: "Hummingbird\($0)", package: "hummingbird")
}
let sockets: [Target.Dependency] = ["HTTP1", "Posix"].map {
  .product(name: "NIO\($0)", package: "swift-nio")
}

/// The targets that programs of others can import.
let libraries = [
  "LMDB", "AgeFiles", "LedgerEvents", "LedgerModel", "LedgerStore", "LedgerQueries",
  "Entitlements", "StoreImport", "SignedStoreData", "QueueSimulator", "Replay", "Audit",
  "LedgerExport", "HostedContent", "ProductCatalogue", "ProductPages", "EventMix",
]

let package = Package(
  name: "daybook",
  platforms: [.macOS(.v26)],
  products: libraries.map { .library(name: $0, targets: [$0]) }
    + ["daybook", "daybook-pull", "daybook-serve"].map { .executable(name: $0, targets: [$0]) },
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    // Only for daybook-pull and daybook-serve: no other product builds them.
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    // Only for daybook-serve.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    .systemLibrary(
      name: "CLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .target(name: "LMDB", dependencies: ["CLMDB"], swiftSettings: strict + lifetimes),
    .target(name: "WorkThreads", swiftSettings: strict),
    .target(name: "PageReading", dependencies: ["LMDB"], swiftSettings: strict),
    .target(name: "AgeFiles", dependencies: [crypto, cryptoExtras], swiftSettings: strict),
    .target(name: "LedgerEvents", swiftSettings: strict + lifetimes),
    .target(name: "LocalTime", dependencies: ["LedgerEvents"], swiftSettings: strict),
    .target(name: "LedgerModel", dependencies: ["LedgerEvents"], swiftSettings: strict),
    .target(
      name: "RunStorage", dependencies: ["LMDB", "LedgerEvents"],
      swiftSettings: strict + lifetimes),
    .target(name: "CSHA256"),
    .target(name: "SHA2", dependencies: ["CSHA256", crypto], swiftSettings: strict + lifetimes),
    .target(
      name: "LedgerLog",
      dependencies: [
        "LMDB", "PageReading", "AgeFiles", "LedgerEvents", "SHA2", "WorkThreads", crypto,
      ],
      swiftSettings: strict + lifetimes),
    .target(
      name: "LedgerStore",
      dependencies: [
        "LMDB", "PageReading", "AgeFiles", "RunStorage", "LedgerLog", "LedgerEvents", "LedgerModel",
        "WorkThreads",
      ],
      swiftSettings: strict + lifetimes),
    .target(
      name: "LedgerQueries", dependencies: ["LedgerStore", "LedgerModel", "LedgerEvents"],
      swiftSettings: strict + lifetimes),
    .target(
      name: "Entitlements",
      dependencies: ["LedgerQueries", "LedgerStore", "LedgerModel", "LedgerEvents"],
      swiftSettings: strict),
    .target(
      name: "StoreImport",
      dependencies: ["LedgerEvents", "LocalTime", "SignedStoreData", crypto],
      swiftSettings: strict),
    .target(
      name: "SignedStoreData", dependencies: ["LedgerEvents", crypto, cryptoExtras, asn1, x509],
      swiftSettings: strict),
    .target(
      name: "LedgerImport",
      dependencies: [
        "LedgerQueries", "LedgerStore", "LedgerEvents", "StoreImport", "SignedStoreData",
      ],
      swiftSettings: strict),
    .target(
      name: "QueueSimulator", dependencies: ["LedgerModel", "LedgerEvents"],
      swiftSettings: strict),
    .target(
      name: "Replay",
      dependencies: ["LedgerQueries", "LedgerModel", "LedgerEvents", "ProductPages", crypto],
      resources: [
        .embedInCode("Page/page.html"), .embedInCode("Page/page.css"),
        .embedInCode("Page/paper.css"), .embedInCode("Page/Script"),
      ],
      swiftSettings: strict),
    .target(
      name: "Audit",
      dependencies: [
        "LMDB", "AgeFiles", "LedgerQueries", "LedgerStore", "LedgerModel", "LedgerEvents", crypto,
      ],
      swiftSettings: strict),
    .target(
      name: "LedgerAnswers",
      dependencies: [
        "Audit", "ProductCatalogue", "Replay", "LedgerQueries", "LedgerStore", "LedgerModel",
        "LedgerEvents", "LocalTime",
      ],
      swiftSettings: strict),
    .target(
      name: "SQLiteRows",
      dependencies: [grdb, .product(name: "GRDBSQLite", package: "GRDB.swift")],
      swiftSettings: strict),
    .target(
      name: "LedgerExport",
      dependencies: [
        "SQLiteRows", "PackageFiles", "LedgerAnswers", "LedgerQueries", "LedgerStore",
        "LedgerModel", "LedgerEvents", "WorkThreads", crypto, grdb,
      ],
      swiftSettings: strict),
    .systemLibrary(
      name: "CArchive", pkgConfig: "libarchive",
      providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]),
    .systemLibrary(name: "CFolder"),
    .systemLibrary(name: "CHeap"),
    .target(
      name: "PackageFiles", dependencies: ["CArchive", "CFolder"],
      swiftSettings: strict + lifetimes),
    .target(
      name: "HostedContent",
      dependencies: ["PackageFiles", "LedgerEvents", "LedgerModel", "WorkThreads", crypto],
      swiftSettings: strict),
    .target(
      name: "ProductCatalogue",
      dependencies: [
        "LedgerQueries", "LedgerStore", "LedgerModel", "LedgerEvents", "StoreImport",
      ],
      swiftSettings: strict),
    .target(name: "ProductPages", dependencies: ["LedgerEvents"], swiftSettings: strict),
    .executableTarget(
      name: "daybook",
      dependencies: [
        "LMDB", "AgeFiles", "LedgerEvents", "LedgerModel", "LedgerQueries", "LedgerStore",
        "LedgerAnswers", "StoreImport", "SignedStoreData", "LedgerImport", "Replay",
        "QueueSimulator", "HostedContent", "ProductCatalogue", "ProductPages", "Audit",
        "LedgerExport", "PackageFiles", "LocalTime", "ServiceAccess", "Webhooks", "WorkThreads",
        argumentParser, .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      path: "Tools/daybook", swiftSettings: strict),
    .target(
      name: "ServiceAccess", dependencies: ["PackageFiles", "LedgerEvents", crypto],
      swiftSettings: strict),
    .target(
      name: "Webhooks",
      dependencies: [
        "LMDB", "LedgerAnswers", "LedgerQueries", "LedgerStore", "LedgerModel", "LedgerEvents",
        "ServiceAccess", crypto, grdb,
      ],
      swiftSettings: strict),
    .target(
      name: "StorePull",
      dependencies: ["PackageFiles", "LedgerEvents", "SignedStoreData", crypto, asn1, x509],
      swiftSettings: strict),
    // A program of its own, so that nobody who builds `daybook` builds an HTTP client.
    .executableTarget(
      name: "daybook-pull",
      dependencies: [
        "StorePull", "LedgerEvents", "LocalTime", "ServiceAccess", "SignedStoreData", "WorkThreads",
        argumentParser,
        .product(name: "AsyncHTTPClient", package: "async-http-client"), nioCore, nioSSL,
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      path: "Tools/daybook-pull", swiftSettings: strict),
    .target(
      name: "LedgerService",
      dependencies: [
        "LedgerAnswers", "LedgerQueries", "LedgerStore", "LedgerModel", "LedgerEvents", "LocalTime",
        "Audit", "Entitlements", "LedgerImport", "PackageFiles", "ProductCatalogue", "ProductPages",
        "CHeap", "Replay", "ServiceAccess", "SignedStoreData", "StoreImport", "Webhooks",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "CoreMetrics", package: "swift-metrics"), crypto,
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"), nioCore, nioSSL, nioHTTPTypes, nioTLS,
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ] + server + sockets,
      resources: [.embedInCode("Pages/Files")],
      swiftSettings: strict),
    // A program of its own, so that nobody who builds `daybook` builds an HTTP server.
    .executableTarget(
      name: "daybook-serve",
      dependencies: [
        "LedgerService", "LedgerAnswers", "LedgerStore", "LMDB", "ServiceAccess", "WorkThreads",
        argumentParser,
      ], path: "Tools/daybook-serve", swiftSettings: strict),
    .target(
      name: "LedgerOracle", dependencies: ["LedgerEvents"], path: "Tests/LedgerOracle",
      swiftSettings: strict),
    .target(
      name: "LedgerHistories", dependencies: ["LedgerEvents"], path: "Tests/LedgerHistories",
      swiftSettings: strict),
    .target(
      name: "ModelComparison",
      dependencies: ["LedgerModel", "LedgerEvents", "LedgerOracle", "LedgerHistories"],
      path: "Tests/ModelComparison", swiftSettings: strict),
    .target(name: "TracedProcesses", path: "Tests/TracedProcesses", swiftSettings: strict),
    .target(
      name: "QueueAuditor", dependencies: ["LedgerEvents"], path: "Tests/QueueAuditor",
      swiftSettings: strict),
    .executableTarget(
      name: "LedgerChild", dependencies: ["LedgerStore", "LedgerEvents"],
      path: "Tests/LedgerChild", swiftSettings: strict),
    .executableTarget(
      name: "CrashChild",
      dependencies: [
        "LedgerQueries", "LedgerStore", "LedgerLog", "LedgerEvents", "LMDB", "LedgerHistories",
      ],
      path: "Tests/CrashChild", swiftSettings: strict),
    .executableTarget(
      name: "InstallChild", dependencies: ["LedgerStore", "LedgerEvents"],
      path: "Tests/InstallChild", swiftSettings: strict),
    .target(
      name: "EventMix", dependencies: ["LedgerEvents"], path: "Tools/Costs/Mix",
      swiftSettings: strict),
    .executableTarget(
      name: "CrashLabReader", dependencies: ["LedgerQueries", "LedgerStore", "LedgerEvents"],
      path: "Tools/CrashLab/Reader", swiftSettings: strict),
    .executableTarget(
      name: "CrashLabHands", dependencies: ["LedgerQueries", "LedgerStore", "LedgerEvents"],
      path: "Tools/CrashLab/Hands", swiftSettings: strict),
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "AgeFiles", "Audit", "EventMix", "HostedContent", "LedgerEvents", "LedgerLog",
        "LedgerModel", "LedgerStore", "PageReading", "ProductCatalogue", "RunStorage",
        "SignedStoreData", "StoreImport", crypto,
      ],
      path: "Tools/Fuzz", exclude: ["README.md", "Corpus"], swiftSettings: strict),
    .testTarget(name: "LMDBTests", dependencies: ["LMDB"], swiftSettings: strict + lifetimes),
    .testTarget(
      name: "PageReadingTests", dependencies: ["PageReading", "LMDB"], swiftSettings: strict),
    .testTarget(name: "AgeFilesTests", dependencies: ["AgeFiles"], swiftSettings: strict),
    .testTarget(
      name: "LedgerEventsTests", dependencies: ["LedgerEvents", "LedgerModel", "EventMix"],
      swiftSettings: strict + lifetimes),
    .testTarget(
      name: "LocalTimeTests", dependencies: ["LocalTime", "LedgerEvents", "LedgerHistories"],
      swiftSettings: strict),
    .testTarget(
      name: "LedgerModelTests",
      dependencies: [
        "LedgerModel", "LedgerEvents", "LedgerOracle", "LedgerHistories", "ModelComparison",
      ],
      exclude: ["Golden"], swiftSettings: strict),
    .testTarget(
      name: "QueueSimulatorTests",
      dependencies: [
        "QueueSimulator", "QueueAuditor", "LedgerModel", "LedgerEvents", "LedgerOracle",
        "LedgerHistories", "ModelComparison",
      ],
      exclude: ["Golden"], swiftSettings: strict),
    .testTarget(
      name: "RunStorageTests", dependencies: ["RunStorage", "LMDB"],
      swiftSettings: strict + lifetimes),
    .target(
      name: "LogTesting", dependencies: ["LedgerLog", "LedgerEvents"], path: "Tests/LogTesting",
      swiftSettings: strict),
    .testTarget(name: "SHA2Tests", dependencies: ["SHA2", crypto], swiftSettings: strict),
    .testTarget(name: "WorkThreadsTests", dependencies: ["WorkThreads"], swiftSettings: strict),
    .testTarget(
      name: "LedgerLogTests",
      dependencies: [
        "LedgerLog", "LedgerEvents", "LMDB", "LedgerHistories", "LogTesting", "LedgerChild",
        "WorkThreads", crypto,
      ],
      swiftSettings: strict + lifetimes),
    .target(
      name: "LedgerTesting", dependencies: ["LedgerStore", "LedgerModel", "LedgerEvents", "LMDB"],
      path: "Tests/LedgerTesting", swiftSettings: strict),
    .testTarget(
      name: "LedgerQueriesTests",
      dependencies: [
        "LedgerQueries", "LedgerModel", "LedgerEvents", "LedgerHistories", "LedgerTesting",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LedgerStoreTests",
      dependencies: [
        "Audit", "AgeFiles", "LedgerQueries", "LedgerStore", "LedgerModel", "LedgerEvents", "LMDB",
        "LedgerOracle", "LedgerTesting", "LedgerHistories", "RunStorage", "LedgerLog", "LogTesting",
      ],
      swiftSettings: strict + lifetimes),
    .testTarget(
      name: "CrashTests",
      dependencies: [
        "LedgerQueries", "LedgerEvents", "LMDB", "LedgerHistories", "CrashChild", "daybook",
        "TracedProcesses",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "EntitlementsTests",
      dependencies: [
        "Entitlements", "LedgerQueries", "LedgerStore", "LedgerModel", "LedgerEvents",
        "LedgerHistories", "LedgerChild",
      ],
      swiftSettings: strict),
    .target(
      name: "SignedDataSamples",
      dependencies: ["SignedStoreData", "LedgerEvents", crypto, asn1, x509],
      path: "Tests/SignedDataSamples", swiftSettings: strict),
    .testTarget(
      name: "StoreImportTests",
      dependencies: [
        "StoreImport", "SignedStoreData", "SignedDataSamples", "LedgerEvents", "LedgerOracle",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LedgerImportTests",
      dependencies: [
        "LedgerImport", "LedgerQueries", "LedgerEvents", "LedgerTesting", "StoreImport",
        "SignedStoreData", "SignedDataSamples",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SignedStoreDataTests",
      dependencies: [
        "SignedStoreData", "SignedDataSamples", "LedgerEvents", crypto, cryptoExtras, asn1, x509,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "LedgerLog", "LedgerEvents", "LedgerHistories", "LocalTime", "TracedProcesses", "daybook",
        "SignedDataSamples",
      ],
      exclude: ["Golden"], swiftSettings: strict),
    .testTarget(
      name: "WebhooksTests",
      dependencies: [
        "Webhooks", "LedgerQueries", "LedgerStore", "LedgerEvents", "LedgerModel", "LMDB",
        "LedgerHistories", "LedgerTesting", grdb, crypto,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ServiceAccessTests", dependencies: ["ServiceAccess", "PackageFiles", "LedgerEvents"],
      swiftSettings: strict),
    .testTarget(
      name: "StorePullTests",
      dependencies: [
        "StorePull", "LedgerEvents", "SignedDataSamples", "TracedProcesses", "daybook",
        "daybook-pull", "SignedStoreData", crypto, x509, nioCore,
      ] + sockets,
      swiftSettings: strict),
    .testTarget(
      name: "LedgerServiceTests",
      dependencies: [
        "LedgerService", "ServiceAccess", "LedgerAnswers", "LedgerQueries", "LedgerStore",
        "LedgerEvents", "Entitlements", "LedgerImport", "LMDB", "LedgerHistories", "Webhooks",
        "daybook", "daybook-serve", "TracedProcesses",
        .product(name: "AsyncHTTPClient", package: "async-http-client"), crypto,
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"), nioCore,
        .product(name: "NIOEmbedded", package: "swift-nio"), nioSSL, nioHTTPTypes, asn1, x509,
      ] + sockets,
      swiftSettings: strict),
    .testTarget(
      name: "ReplayTests",
      dependencies: [
        "Replay", "LedgerQueries", "LedgerModel", "LedgerEvents", "LMDB", "LedgerHistories", crypto,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ScenarioTests",
      dependencies: ["QueueSimulator", "LedgerModel", "LedgerEvents", "LedgerHistories"],
      swiftSettings: strict),
    .testTarget(
      name: "AuditTests",
      dependencies: [
        "Audit", "Replay", "LedgerQueries", "LedgerStore", "LedgerLog", "LedgerModel",
        "LedgerEvents", "LMDB", "LedgerHistories",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SQLiteRowsTests", dependencies: ["SQLiteRows", grdb], swiftSettings: strict),
    .testTarget(
      name: "LedgerExportTests",
      dependencies: [
        "LedgerExport", "LedgerAnswers", "LedgerQueries", "LedgerEvents", "LedgerHistories", grdb,
      ],
      swiftSettings: strict),
    .testTarget(name: "PackageFilesTests", dependencies: ["PackageFiles"], swiftSettings: strict),
    .testTarget(
      name: "HostedContentTests",
      dependencies: [
        "HostedContent", "LedgerQueries", "LedgerEvents", "daybook", "InstallChild",
        "TracedProcesses", "LedgerHistories", crypto,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ProductCatalogueTests",
      dependencies: [
        "ProductCatalogue", "LedgerQueries", "LedgerStore", "LedgerModel", "LedgerEvents",
        "LedgerTesting", "LedgerHistories",
      ],
      exclude: ["Golden"], swiftSettings: strict),
    .testTarget(
      name: "ProductPagesTests", dependencies: ["ProductPages", "LedgerEvents"],
      swiftSettings: strict),
    .testTarget(
      name: "LedgerOracleTests", dependencies: ["LedgerOracle", "LedgerHistories", "LedgerEvents"],
      swiftSettings: strict),
    .testTarget(
      name: "SampleTests", dependencies: ["LedgerOracle", "LedgerHistories", "LedgerEvents"],
      path: "Tests/Samples", exclude: ["every-type.jsonl"], swiftSettings: strict),
    .testTarget(name: "TidyTests", swiftSettings: strict),
  ]
)

#if os(Linux)
  // These define functions of the C library again, for the whole process: the simulator those by
  // which a program reaches its disk, and the counted costs those that allocate.
  package.targets += [
    .target(name: "AllocationCount", path: "Tools/Costs/Allocations"),
    .executableTarget(
      name: "Costs",
      dependencies: [
        "AllocationCount", "EventMix", "LedgerStore", "LedgerModel", "LedgerEvents",
        "Entitlements", "LMDB", "StoreImport",
      ],
      path: "Tools/Costs/Program", swiftSettings: strict),
    .target(name: "SimulatedDisk", path: "Tools/StoreSimulator/Disk"),
    .executableTarget(
      name: "StoreSimulator",
      dependencies: [
        "SimulatedDisk", "LedgerQueries", "LedgerStore", "LedgerLog", "LedgerModel", "LedgerEvents",
        "LMDB", "LedgerOracle", "LedgerHistories",
      ],
      path: "Tools/StoreSimulator/Program", swiftSettings: strict,
      linkerSettings: [.linkedLibrary("dl")]),
  ]
#endif

// `Tools/test` compiles the package with assertions, with the checks of debug builds, and so that
// `@testable` works, but optimized. Flags on the command line would do that to every dependency,
// too, and what `Tools/quickstart` then needs of them would be compiled a second time.
if Context.environment["DAYBOOK_CHECKED"] == "1" {
  for target in package.targets where target.type != .system {
    target.swiftSettings =
      (target.swiftSettings ?? []) + [
        .define("DEBUG"), .unsafeFlags(["-enable-testing", "-assert-config", "Debug"]),
      ]
  }
}

// Tests are compiled without optimization in release builds, too. What they test is optimized, and
// optimizing the tests themselves takes minutes.
for target in package.targets where target.type == .test {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"], .when(configuration: .release))]
}
