import Foundation
import Testing

@Suite("The map of the modules") struct ModuleMapTests {
  @Test("docs design md shows the targets, their files and their imports") func docsDesign() throws
  {
    let page = PackageTree.root.appending(path: "docs/design.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- modules -->\n"))
    let stop = try #require(text.range(of: "<!-- end of modules -->"))
    let table = ModuleMap(.current).table
    let shown = text.replacingCharacters(in: start.upperBound..<stop.lowerBound, with: table)
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(shown.utf8).write(to: page)
    }
    #expect(
      shown == (try String(contentsOf: page, encoding: .utf8)),
      """
      docs/design.md shows other modules: write the table anew with \
      UPDATE_GOLDEN=1 swift test --filter TidyTests.
      """)
  }

  @Test("targets are read from the manifest, those of tests apart") func targetsRead() {
    let manifest = """
      targets: [
        .target(name: "A", swiftSettings: strict),
        .target(
          name: "B", dependencies: ["A", .product(name: "P", package: "p")],
          swiftSettings: strict),
        .executableTarget(
          name: "c", dependencies: ["B"],
          path: "Tools/c", swiftSettings: strict),
        .target(
          name: "D", dependencies: ["A"], path: "Tests/D",
          swiftSettings: strict),
        .testTarget(name: "ATests", dependencies: ["A"]),
      ]
      """
    let targets = ModuleMap.targets(in: manifest)
    #expect(targets.map(\.name) == ["A", "B", "c"])
    #expect(targets.map(\.folder) == ["Sources/A", "Sources/B", "Tools/c"])
  }
}
