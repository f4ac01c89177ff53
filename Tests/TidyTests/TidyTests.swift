import Testing

/// Properties that hold throughout the package.
@Suite("The package is tidy") struct TidyTests {
  /// One issue per breach, so that each is shown separately.
  private func expectNoBreach(of rule: some TidyRule) {
    for file in PackageTree.current.files {
      for breach in rule.breaches(in: file) { Issue.record("\(breach)") }
    }
  }

  @Test("the files of the package are found") func filesPackage() {
    let paths = Set(PackageTree.current.files.map(\.path))
    #expect(paths.contains("Package.swift"))
    #expect(paths.contains("Sources/CLMDB/module.modulemap"))
    #expect(paths.contains("Tests/TidyTests/TidyTests.swift"))
    #expect(!paths.contains { $0.hasPrefix(".build") || $0.hasPrefix(".git/") })
  }

  @Test("modules import only what stands before them") func modulesImport() {
    expectNoBreach(of: ImportRule())
  }

  @Test("facts are folded by one driver") func oneDriver() {
    expectNoBreach(of: FoldRule())
  }

  @Test("unsafe code lives only where C is called") func unsafeCode() {
    expectNoBreach(of: UnsafeRule())
  }

  @Test("files and lines are short") func filesLines() {
    expectNoBreach(of: SizeRule())
  }

  @Test("markup, styles and scripts are formatted") func markupStyles() {
    expectNoBreach(of: PageSourceRule())
  }

  @Test("functions are short") func functionsShort() {
    expectNoBreach(of: FunctionRule())
  }

  @Test("nothing traps or swallows an error without a reason") func nothingTraps() {
    expectNoBreach(of: TrapRule())
  }

  @Test("nothing is marked as unfinished and nothing names where it was written")
  func nothingMarked() {
    expectNoBreach(of: WordRule())
  }

  @Test("public declarations are documented") func publicDeclarations() {
    expectNoBreach(of: DocumentationRule())
  }

  @Test("every file lies where its kind belongs") func everyFile() {
    expectNoBreach(of: FolderRule())
  }

  @Test("tests are named by sentences") func testNames() {
    expectNoBreach(of: TestNameRule())
  }

  @Test("documents link to what is there") func documentsLink() {
    expectNoBreach(of: LinkRule(PackageTree.current.files))
  }
}
