import Foundation
import LMDB

/// A folder that is removed after the test.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "lmdb-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var dataFile: String { path + "/" + Environment.dataFileName }

  func environment(_ options: Environment.Options = .init()) throws(LMDBError) -> Environment {
    try Environment.open(path, options: options)
  }
}

/// Returns the UTF-8 bytes of a text, for readable keys and values.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension Environment {
  /// Sets one text under another in a separate transaction.
  func set(_ table: Table, _ key: String, _ value: String) throws(LMDBError) {
    try write { transaction throws(LMDBError) in
      try transaction.put(table, bytes(key).span, bytes(value).span)
    }
  }

  /// Returns the current text under `key`, or nil.
  func text(_ table: Table, _ key: String) throws(LMDBError) -> String? {
    try read { transaction throws(LMDBError) in
      guard let value = try transaction.get(table, bytes(key).span) else { return nil }
      return String(decoding: [UInt8](copying: value), as: UTF8.self)
    }
  }

  /// Returns every key and value of `table`, in order.
  func contents(_ table: Table) throws(LMDBError) -> [[[UInt8]]] {
    try read { transaction throws(LMDBError) in
      var rows: [[[UInt8]]] = []
      var cursor = try transaction.cursor(table)
      while try cursor.next() {
        rows.append([[UInt8](copying: cursor.key), [UInt8](copying: cursor.value)])
      }
      return rows
    }
  }
}

/// Returns the code of the error that `body` throws, or nil if it throws none.
func failure(_ body: () throws(LMDBError) -> Void) -> LMDBError.Code? {
  do {
    try body()
    return nil
  } catch {
    return error.code
  }
}
