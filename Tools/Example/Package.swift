// swift-tools-version: 6.3
import PackageDescription

/// A program in a package of its own, as yours would be: it depends on Daybook's lookup library and
/// on nothing else of it.
let package = Package(
  name: "daybook-example",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "daybook", path: "../..")],
  targets: [
    .executableTarget(
      name: "Example",
      dependencies: [.product(name: "Entitlements", package: "daybook")])
  ]
)
