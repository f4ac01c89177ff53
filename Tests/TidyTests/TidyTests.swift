import Testing

/// Properties that hold throughout the package.
@Suite struct `The package is tidy` {
  /// One issue per breach, so that each is shown separately.
  private func expectNoBreach(of rule: some TidyRule) {
    for file in PackageTree.current.files {
      for breach in rule.breaches(in: file) { Issue.record("\(breach)") }
    }
  }

  @Test func `the files of the package are found`() {
    let paths = Set(PackageTree.current.files.map(\.path))
    #expect(paths.contains("Package.swift"))
    #expect(paths.contains("Sources/CLMDB/module.modulemap"))
    #expect(paths.contains("Tests/TidyTests/TidyTests.swift"))
    #expect(!paths.contains { $0.hasPrefix(".build") || $0.hasPrefix(".git/") })
  }

  @Test func `modules import only what stands before them`() {
    expectNoBreach(of: ImportRule())
  }

  @Test func `unsafe code lives in the LMDB module alone`() {
    expectNoBreach(of: UnsafeRule())
  }

  @Test func `files and lines are short`() {
    expectNoBreach(of: SizeRule())
  }

  @Test func `markup, styles and scripts are formatted`() {
    expectNoBreach(of: PageSourceRule())
  }

  @Test func `functions are short`() {
    expectNoBreach(of: FunctionRule())
  }

  @Test func `nothing traps or swallows an error without a reason`() {
    expectNoBreach(of: TrapRule())
  }

  @Test func `nothing is marked as unfinished and nothing names where it was written`() {
    expectNoBreach(of: WordRule())
  }

  @Test func `public declarations are documented`() {
    expectNoBreach(of: DocumentationRule())
  }

  @Test func `every file lies where its kind belongs`() {
    expectNoBreach(of: PlaceRule())
  }

  @Test func `documents link to what is there`() {
    expectNoBreach(of: LinkRule(paths: Set(PackageTree.current.files.map(\.path))))
  }
}
