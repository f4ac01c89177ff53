import Testing

/// Each rule catches what it is intended for, and nothing else.
@Suite("The tidy rules") struct RuleTests {
  private func lines(
    _ rule: some TidyRule, in path: String = "Sources/LedgerStore/Log.swift", _ text: String
  ) -> [Int] {
    rule.breaches(in: SourceFile(path: path, text)).map(\.line)
  }

  // MARK: Code apart from texts

  @Test(
    "comments and texts are not code",
    arguments: [
      ("let a = 1 // try! it", "let a = 1           "),
      ("/* a /* b */ c */ d", "                  d"),
      (#"f("try! \(g("x")) {")"#, #"f("      (g(" "))  ")"#),
      (##"f(#"a"b\#(c)"#)"##, ##"f(#"     (c)"#)"##),
      ("\"\"\"\na \" {\n\"\"\" }", "\"\"\"\n     \n\"\"\" }"),
    ])
  func commentsAreNotCode(source: String, code: String) {
    #expect(String(decoding: SwiftCode([UInt8](source.utf8)).bytes, as: UTF8.self) == code)
  }

  // MARK: Names of tests

  @Test("a test or suite without a name, or with one in another style, is caught")
  func testNames() {
    let text = """
      @Test("reports a full disk") func full() {}
      @Test(
        "reports an empty disk", arguments: [1])
      func empty() {}
      @Test func half() {}
      @Test(arguments: [1]) func third() {}
      @Test("Reports a disk") func fourth() {}
      @Test(
        "Reports a disk", arguments: [1])
      func fifth() {}
      @Test("JSON is read") func sixth() {}
      @Test("SplitMix64 is random") func seventh() {}
      @Suite("A file writer") struct FileWriterTests {}
      @Suite(
        "import of a file", .serialized)
      struct ImportTests {}
      @Suite struct UnnamedTests {}
      @Suite(.serialized) struct OtherTests {}
      """
    #expect(lines(TestNameRule(), in: "Tests/LMDBTests/A.swift", text) == [5, 6, 7, 8, 17, 18])
    #expect(lines(TestNameRule(), in: "Sources/LMDB/A.swift", text) == [])
  }

  // MARK: Imports

  @Test(
    "an import against the direction of the modules is caught",
    arguments: [
      ("Sources/LedgerEvents/A.swift", "import Foundation"),
      ("Sources/LedgerModel/A.swift", "public import LMDB"),
      ("Sources/LedgerModel/A.swift", "import struct Foundation.Data"),
      ("Sources/LedgerStore/A.swift", "internal import CLMDB"),
      ("Sources/LMDB/A.swift", "import LedgerEvents"),
      ("Sources/Entitlements/A.swift", "import LMDB"),
      ("Tests/LMDBTests/A.swift", "import CLMDB"),
      ("Tests/LedgerOracle/A.swift", "import LedgerModel"),
    ])
  func importAgainst(path: String, text: String) {
    #expect(lines(ImportRule(), in: path, "// import X\n\n" + text) == [3])
  }

  @Test(
    "an import along the direction passes",
    arguments: [
      ("Sources/LedgerModel/A.swift", "public import LedgerEvents"),
      ("Sources/LMDB/A.swift", "@preconcurrency internal import CLMDB"),
      ("Sources/LedgerStore/A.swift", "import Foundation"),
      ("Sources/StoreImport/A.swift", "public func imported() {}"),
      ("Tests/LedgerStoreTests/A.swift", "@testable import LedgerStore"),
    ])
  func importAlong(path: String, text: String) {
    #expect(lines(ImportRule(), in: path, text) == [])
  }

  // MARK: Unsafe code

  @Test(
    "unsafe code is caught outside LMDB, PackageFiles, SHA2, SQLiteRows and WorkThreads",
    arguments: ["unsafe f()", "let p: UnsafeRawPointer", "a.withUnsafeBytes { _ in }"])
  func unsafeCode(text: String) {
    #expect(lines(UnsafeRule(), text) == [1])
    #expect(lines(UnsafeRule(), in: "Tools/daybook/main.swift", text) == [1])
    #expect(lines(UnsafeRule(), in: "Sources/LMDB/Cursor.swift", text) == [])
    #expect(lines(UnsafeRule(), in: "Sources/SHA2/SHA256.swift", text) == [])
  }

  @Test("the word unsafe in a comment passes") func wordUnsafe() {
    #expect(lines(UnsafeRule(), "// unsafe would be wrong here\nlet isUnsafe = 1") == [])
  }

  // MARK: Lengths

  @Test("a long line and a long file are caught") func longLine() {
    #expect(lines(SizeRule(), String(repeating: "é", count: 100)) == [])
    #expect(lines(SizeRule(), String(repeating: "é", count: 101)) == [1])
    #expect(lines(SizeRule(), String(repeating: "a\n", count: 500)) == [])
    #expect(lines(SizeRule(), String(repeating: "a\n", count: 501)) == [0])
  }

  @Test(
    "a script that is not formatted is caught",
    arguments: [
      ("const a = 1;\n", []), ("const a = 1; \n", [1]), ("if (a) {\n\tb();\n}\n", [2]),
      ("const a = 1;", [1]), ("const a = 1;\n\n", [2]),
      (String(repeating: "a", count: 101) + "\n", [1]), (String(repeating: "a\n", count: 301), [0]),
    ])
  func scriptNot(text: String, expected: [Int]) {
    #expect(lines(PageSourceRule(), in: "Sources/Replay/Page/page.js", text) == expected)
    #expect(lines(PageSourceRule(), in: "Sources/Replay/Page/Page.swift", text) == [])
  }

  @Test("a long text is excused in a test, a long comment is not") func longText() {
    let text = "let a = \"" + String(repeating: "x", count: 200) + "\""
    #expect(lines(SizeRule(), in: "Tests/LedgerStoreTests/A.swift", text) == [])
    #expect(lines(SizeRule(), in: "Sources/LedgerStore/A.swift", text) == [1])
    let comment = "let a = \"x\"  // " + String(repeating: "x", count: 200)
    #expect(lines(SizeRule(), in: "Tests/LedgerStoreTests/A.swift", comment) == [1])
    let later = "/* a\n b */ let s = \"\"\"\n  x\n  \"\"\"\n" + text
    #expect(lines(SizeRule(), in: "Tests/LedgerStoreTests/A.swift", later) == [])
  }

  @Test(
    "a long function is caught",
    arguments: [
      "  public static func f(\n    a: Int = { 1 }()\n  ) async throws(E) -> Int {",
      "@inlinable public init(_ a: Int) {", "subscript(i: Int) -> Int {", "deinit {",
    ])
  func longFunction(declaration: String) {
    let spare = 69 - declaration.split(separator: "\n").count - 1
    for (body, expected) in [(spare, [Int]()), (spare + 1, [2])] {
      let text =
        "struct S {\n" + declaration + "\n" + String(repeating: "  if a { b() }\n", count: body)
        + "}\nlet s = 1\n}\n"
      #expect(lines(FunctionRule(), text) == expected)
    }
  }

  @Test("a requirement without a body is no long function") func requirementWithout() {
    let text = "protocol P {\n  func f()\n  init(a: Int)\n}\n"
    #expect(lines(FunctionRule(), text + String(repeating: "\n", count: 90) + "{ }") == [])
  }

  // MARK: Traps

  @Test(
    "a trap or a swallowed error is caught",
    arguments: [
      "let a = try! f()", "let a = try? f()", "a as! B", "fatalError(\"no\")", "a!.b", "f()!",
      "let a: Int! = nil", "do { } catch { }", "do {\n} catch is E\n{\n  // nothing\n}",
    ])
  func trapSwallowed(text: String) {
    #expect(lines(TrapRule(), text).count == 1)
  }

  @Test(
    "honest code passes the rule of traps",
    arguments: [
      "if a != b { }", "!a", "try f()", "a as? B", "catch { throw e }", "\"try! it\"", "// a!",
      "precondition(!isOpen)",
    ])
  func honestCode(text: String) {
    #expect(lines(TrapRule(), text) == [])
  }

  // MARK: Words

  @Test("a mark of unfinished work is caught in code, comments and documents") func markUnfinished()
  {
    #expect(lines(WordRule(), "let a = 1  // to" + "do: more") == [1])
    #expect(lines(WordRule(), in: "docs/a.md", "It works.\nThis is a place" + "holder.") == [2])
    #expect(lines(WordRule(), in: "docs/a.md", "Enough for n" + "ow.") == [1])
    #expect(lines(WordRule(), in: "docs/a.md", "Look into /wo" + "rk/x.") == [1])
    #expect(lines(WordRule(), in: "docs/a.md", "It stubbornly works, for nowhere else.") == [])
  }

  // MARK: Documentation

  @Test(
    "a public declaration without documentation is caught",
    arguments: [
      "public struct A {}", "@frozen public enum A {}", "  public static func f() {}",
      "// Not a documentation comment.\npublic typealias A = Int",
      "public subscript(i: Int) -> Int {",
    ])
  func publicDeclaration(text: String) {
    #expect(lines(DocumentationRule(), text).count == 1)
    #expect(lines(DocumentationRule(), in: "Tools/daybook/Init.swift", text) == [])
  }

  @Test(
    "a documented declaration passes",
    arguments: [
      "/// Meaning.\npublic struct A {}", "/// Meaning.\n@inlinable\npublic func f() {}",
      "public import LMDB", "public extension A {}", "struct A {}",
      "public static func == (a: A, b: A) -> Bool {",
      "public func hash(into hasher: inout Hasher) {",
      "  case a  // public",
    ])
  func documentedDeclaration(text: String) {
    #expect(lines(DocumentationRule(), text) == [])
  }

  // MARK: The driver of the fold

  @Test(
    "a fold past the driver is caught",
    arguments: [
      ("Sources/LedgerQueries/A.swift", "let state = Unit.fold(facts, context)"),
      ("Sources/LedgerStore/A.swift", "context.extend(with: fact, texts, &change)"),
      ("Sources/LedgerModel/Answers/A.swift", "unit.step(fact, resolution, context)"),
      ("Sources/LedgerModel/Answers/A.swift", "guard unit.advance(facts, context) else { return }"),
      ("Sources/LedgerModel/Fold/Unit.swift", "package static func fold(_ facts: [Fact]) {}"),
      ("Sources/LedgerModel/Shared/A.swift", "public mutating func extend(with fact: Fact) {}"),
      ("Tools/daybook/A.swift", "_ = Unit.fold(facts, context)"),
      ("Sources/LedgerModel/Answers/A.swift", "let unit = fold(facts, context)"),
      ("Sources/LedgerModel/Answers/A.swift", "let unit = Self.fold(facts, context)"),
    ])
  func foldPastDriver(path: String, text: String) {
    #expect(lines(FoldRule(), in: path, text) == [1])
  }

  @Test(
    "a fold by the driver passes",
    arguments: [
      ("Sources/LedgerModel/Units/UnitSet+Fold.swift", "let unit = Unit.fold(facts, context)"),
      ("Sources/LedgerModel/Units/UnitSet+Fold.swift", "package static func fold(connected: A)"),
      ("Sources/LedgerModel/Fold/Unit.swift", "mutating func advance(_ facts: [Fact]) -> Bool {"),
      (
        "Sources/LedgerStore/A.swift", "while try walk.advance() { try projector.step(through: 1) }"
      ),
      ("Sources/LedgerQueries/A.swift", "UnitSet.fold(connected: facts, context: context)"),
      ("Tests/LedgerModelTests/A.swift", "Unit.fold(facts, context)"),
    ])
  func foldByDriver(path: String, text: String) {
    // The driver is mentioned: Unit.fold(facts)
    #expect(lines(FoldRule(), in: path, text) == [])
  }

  // MARK: Folders

  @Test(
    "a stray file is caught",
    arguments: [
      "notes.txt", "Sources/Log.swift", "Sources/LedgerStore/log.txt", "Sources/LMDB/lmdb.h",
      "Sources/LedgerStore/LogHelpers.swift", "Sources/LedgerStore/StringUtils.swift",
      "Tests/Log.swift", "Tools/run.sh", "build/a.swift", "docs/data.mdb",
    ])
  func strayFile(path: String) {
    #expect(lines(FolderRule(), in: path, "") == [0])
  }

  @Test(
    "a file in a folder for its kind passes",
    arguments: [
      "Package.swift", "Sources/LedgerStore/Log.swift", "Sources/LMDB/LMDB.docc/LMDB.md",
      "Sources/CLMDB/shim.h", "Tests/Samples/a.jsonl", "Tools/quickstart", ".ci/run",
      "Tools/Benchmarks/Sources/Baseline/baseline.c", "Sources/LMDB/Environment+Map.swift",
    ])
  func fileInFolder(path: String) {
    #expect(lines(FolderRule(), in: path, "") == [])
  }

  // MARK: Links

  @Test(
    "a link to what is not there is caught",
    arguments: [
      ("[a](missing.md)", 1), ("[a](../README.md) [b](b.md#part)", 0), ("[a](../../x)", 1),
      ("[a](https://swift.org#x) [b](#part)", 1), ("[a](../Tools#x) [b](../Tool)", 1),
      ("## The `last` part\n\n[a](#the-last-part)", 0), ("```\n# Part\n```\n[a](#part)", 1),
      ("[a](b.md#one-two) [b](b.md#one--two-1)", 0), ("[a](b.md#apart) [b](b.md#Part)", 2),
    ])
  func linkNot(text: String, count: Int) {
    let page = SourceFile(path: "docs/a.md", text)
    let rule = LinkRule([
      page, SourceFile(path: "README.md", ""), SourceFile(path: "Tools/test", ""),
      SourceFile(path: "docs/b.md", "# Part\n## One, two\n## [One](a.md) / two\n## one  TWO\n"),
    ])
    #expect(rule.breaches(in: page).count == count)
  }

  @Test(
    "a citation of a page that is not shipped is caught",
    arguments: [
      ("/// What holds (^b.md^ 5).", 0), ("// See ^docs/b.md^ and ^README.md^.", 0),
      ("/// What holds (^missing.md^ 5).", 1), ("It stands in ^b.md^,\nand in ^c.md^.", 1),
      ("let page = \"a.md\"", 0),
    ])
  func citationPage(text: String, count: Int) {
    let rule = LinkRule([
      SourceFile(path: "README.md", ""), SourceFile(path: "docs/b.md", ""),
    ])
    // Without backquotes above, so that this file does not break the rule.
    let cited = text.replacing("^", with: "`")
    for path in ["docs/a.md", "Sources/LedgerModel/A.swift"] {
      #expect(lines(rule, in: path, cited).count == count)
    }
  }
}
