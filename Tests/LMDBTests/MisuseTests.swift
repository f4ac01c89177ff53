import Foundation
import Testing

/// Code that must not compile, each with a variant that must: the same text with and without
/// `MISUSE`.
@Suite(
  "Misuse of the wrapper", .enabled(if: Compiler.path != nil, "there is no swiftc on the path"))
struct MisuseTests {
  @Test("misuse does not compile, and the right use does", arguments: Misuse.all)
  func misuseDoes(_ misuse: Misuse) throws {
    let control = try Compiler.run(misuse.source, defining: nil)
    #expect(control.isEmpty, "the control fails: \(control)")
    let errors = try Compiler.run(misuse.source, defining: "MISUSE")
    #expect(errors.contains(misuse.diagnosis), "instead: \(errors)")
  }
}

struct Misuse: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// A part of the compiler's error.
  let diagnosis: String
  /// The body of a function over `environment` and `table`.
  let body: String

  init(_ description: String, _ diagnosis: String, _ body: String) {
    testDescription = description
    self.diagnosis = diagnosis
    self.body = body
  }

  var source: String {
    """
    import LMDB
    func use(_ value: Span<UInt8>?) {}
    func f(_ environment: Environment, _ table: Table, _ bytes: [UInt8]) throws {
    \(body)
    }
    """
  }

  static let all = [
    Misuse(
      "a span outlives its read transaction", "lifetime-dependent",
      """
      var kept: Span<UInt8>? = nil
      do {
        let transaction = try environment.beginRead()
        let value = try transaction.get(table, 1)
        use(value)
        #if MISUSE
        kept = value
        #endif
      }
      use(kept)
      kept = nil
      """),
    Misuse(
      "a span is returned from a closure that reads", "conform to 'Escapable'",
      """
      #if MISUSE
      let value: Span<UInt8>? = try environment.read { transaction throws(LMDBError) in
        try transaction.get(table, 1)
      }
      use(value)
      #else
      let value: Int? = try environment.read { transaction throws(LMDBError) in
        try transaction.get(table, 1)?.count
      }
      print(value as Any)
      #endif
      """),
    Misuse(
      "a put while a span is lent", "overlapping accesses to 'transaction'",
      """
      var transaction = try environment.beginWrite()
      #if MISUSE
      let value = try transaction.get(table, 1)
      try transaction.put(table, 2, bytes.span)
      use(value)
      #else
      do {
        let value = try transaction.get(table, 1)
        use(value)
      }
      try transaction.put(table, 2, bytes.span)
      #endif
      """),
    Misuse(
      "a put while a cursor is open", "overlapping accesses to 'transaction'",
      """
      var transaction = try environment.beginWrite()
      do {
        var cursor = try transaction.cursor(table)
        #if MISUSE
        try transaction.put(table, 2, bytes.span)
        #endif
        _ = try cursor.next()
      }
      try transaction.put(table, 2, bytes.span)
      """),
    Misuse(
      "renewing a snapshot while a span is lent", "overlapping accesses to 'transaction'",
      """
      var transaction = try environment.beginRead()
      #if MISUSE
      let value = try transaction.get(table, 1)
      try transaction.renew()
      use(value)
      #else
      do {
        let value = try transaction.get(table, 1)
        use(value)
      }
      try transaction.renew()
      #endif
      """),
    Misuse(
      "a second commit", "consumed more than once",
      """
      let transaction = try environment.beginWrite()
      try transaction.commit()
      #if MISUSE
      try transaction.commit()
      #endif
      """),
    Misuse(
      "a put after the commit", "used after consume",
      """
      var transaction = try environment.beginWrite()
      try transaction.put(table, 1, bytes.span)
      try transaction.commit()
      #if MISUSE
      try transaction.put(table, 1, bytes.span)
      #endif
      """),
    Misuse(
      "committing the transaction that a closure was lent",
      "missing reinitialization of inout parameter",
      """
      try environment.write { transaction in
        try transaction.put(table, 1, bytes.span)
        #if MISUSE
        try transaction.commit()
        #endif
      }
      """),
    Misuse(
      "a cursor outlives its transaction", "borrowed by a non-Escapable type",
      """
      let transaction = try environment.beginRead()
      var cursor = try transaction.cursor(table)
      _ = try cursor.next()
      #if MISUSE
      _ = consume transaction
      _ = try cursor.next()
      #endif
      """),
    Misuse(
      "a copy of a transaction", "consumed more than once",
      """
      let transaction = try environment.beginRead()
      #if MISUSE
      let copy = transaction
      print(copy.id)
      #endif
      let moved = transaction
      print(moved.id)
      """),
    Misuse(
      "writing in another task", "escapes its scope",
      """
      var transaction = try environment.beginWrite()
      #if MISUSE
      Task { try transaction.put(table, 1, [1].span) }
      #else
      try transaction.put(table, 1, bytes.span)
      #endif
      """),
    Misuse(
      "committing in another task", "consumed when captured by an escaping closure",
      """
      let transaction = try environment.beginWrite()
      #if MISUSE
      Task { try transaction.commit() }
      #else
      try transaction.commit()
      #endif
      """),
    Misuse(
      "a transaction that a closure was lent in another task", "captures 'inout' parameter",
      """
      try environment.write { transaction in
        #if MISUSE
        Task { print(transaction.id) }
        #else
        print(transaction.id)
        #endif
      }
      """),
    Misuse(
      "a write transaction across an await", "unavailable from asynchronous contexts",
      """
      func g() async throws {
        #if MISUSE
        let transaction = try environment.beginWrite()
        await Task.yield()
        try transaction.commit()
        #else
        try environment.write { transaction in try transaction.put(table, 1, bytes.span) }
        await Task.yield()
        #endif
      }
      """),
    Misuse(
      "a write transaction as a stored property", "non-Escapable",
      """
      #if MISUSE
      struct Holder: ~Copyable { var transaction: WriteTransaction }
      #else
      struct Holder: ~Copyable { var transaction: ReadTransaction }
      #endif
      """),
    Misuse(
      "a snapshot used by two tasks at once", "risks causing data races",
      """
      let transaction = try environment.beginRead()
      #if MISUSE
      Task { _ = try transaction.contains(table, [1].span) }
      Task { _ = try transaction.contains(table, [1].span) }
      #else
      _ = try transaction.contains(table, [1].span)
      #endif
      """),
  ]
}

/// The Swift compiler, run on a text against the modules that this test was built with.
enum Compiler {
  static let path: String? = {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.map { "\($0)/swiftc" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// Returns the errors; empty if the text compiles.
  static func run(_ source: String, defining flag: String?) throws -> String {
    let folder = try TemporaryFolder()
    let file = folder.path + "/use.swift"
    try source.write(toFile: file, atomically: true, encoding: .utf8)
    let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/CLMDB").standardized
    let process = Process()
    process.executableURL = URL(filePath: try #require(path))
    // Lifetimes and ownership are checked after types, so -typecheck would not find the errors.
    process.arguments =
      [
        "-emit-sil", "-o", "/dev/null", file, "-swift-version", "6",
        "-enable-experimental-feature", "Lifetimes", "-I", products.appending(path: "Modules").path,
        "-I", products.path, "-I", root.path,
        // Beside the products, for this toolchain and this user only.
        "-module-cache-path", products.appending(path: "MisuseModuleCache").path,
      ] + (flag.map { ["-D", $0] } ?? [])
    let output = Pipe()
    process.standardError = output
    process.standardOutput = output
    try process.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? "" : text
  }
}
