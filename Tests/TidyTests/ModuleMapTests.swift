import Foundation
import Testing

@Suite("The map of the modules") struct ModuleMapTests {
  @Test("docs design md shows the targets, their files and their imports") func docsDesign() throws
  {
    let page = PackageTree.root.appending(path: "docs/design.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- modules -->\n"))
    let stop = try #require(text.range(of: "<!-- end of modules -->"))
    let updates = ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1"
    let known = updates ? "" : String(text[start.upperBound..<stop.lowerBound])
    let table = ModuleMap(.current).table(keeping: known)
    let shown = text.replacingCharacters(in: start.upperBound..<stop.lowerBound, with: table)
    if updates {
      try Data(shown.utf8).write(to: page)
    }
    #expect(
      shown == (try String(contentsOf: page, encoding: .utf8)),
      """
      docs/design.md shows other modules: write the table anew with \
      UPDATE_GOLDEN=1 swift test --filter TidyTests.
      """)
  }

  @Test("a size stays as long as it is within a tenth") func sizes() {
    let text =
      "public import A\npublic func f() {}\n  @inlinable public init() {}\nlet publicity = 1\n"
    let size = ModuleMap.Size([text])
    #expect(size == ModuleMap.Size(lines: 4, declarations: 2))
    let shown = ModuleMap.Size(lines: 1_000, declarations: 50)
    #expect(shown.isAbout(ModuleMap.Size(lines: 1_100, declarations: 60)))
    #expect(!shown.isAbout(ModuleMap.Size(lines: 1_200, declarations: 50)))
    #expect(!shown.isAbout(ModuleMap.Size(lines: 1_000, declarations: 80)))
    #expect(
      ModuleMap.sizes(in: "| target | files |\n| `A` | 3 | 1000 | 50 |  |\n") == ["A": shown])
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
