// swift-tools-version: 6.3
import PackageDescription

/// A package of its own, so that who depends on Daybook gets neither these programs nor what they
/// need.
let package = Package(
  name: "daybook-benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "daybook", path: "../..")],
  targets: [
    .executableTarget(
      name: "baseline", path: "Sources/Baseline", cSettings: [.unsafeFlags(["-O3"])],
      linkerSettings: [.linkedLibrary("lmdb")]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "baseline",
        .product(name: "Audit", package: "daybook"),
        .product(name: "Entitlements", package: "daybook"),
        .product(name: "LedgerStore", package: "daybook"),
        .product(name: "LedgerQueries", package: "daybook"),
        .product(name: "LedgerEvents", package: "daybook"),
        .product(name: "LedgerModel", package: "daybook"),
        .product(name: "QueueSimulator", package: "daybook"),
        .product(name: "daybook", package: "daybook"),
        .product(name: "HostedContent", package: "daybook"),
        .product(name: "EventMix", package: "daybook"),
      ],
      swiftSettings: [
        .swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]),
  ]
)
