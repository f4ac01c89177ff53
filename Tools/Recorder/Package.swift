// swift-tools-version: 6.0
import PackageDescription

/// The upcoming features that keep what is imported and what is an existential visible.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A package of its own without dependencies: an app cannot take Daybook's own, which needs LMDB.
let package = Package(
  name: "daybook-recorder",
  platforms: [.iOS(.v15), .macOS(.v12)],
  products: [.library(name: "DaybookRecorder", targets: ["DaybookRecorder"])],
  targets: [
    .target(name: "DaybookRecorder", swiftSettings: strict),
    // A process for the tests to kill.
    .executableTarget(
      name: "SpoolChild", dependencies: ["DaybookRecorder"], path: "Tests/SpoolChild",
      swiftSettings: strict),
    .testTarget(
      name: "DaybookRecorderTests", dependencies: ["DaybookRecorder", "SpoolChild"],
      swiftSettings: strict),
  ]
)
