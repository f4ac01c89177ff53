internal import Foundation
internal import LedgerEvents

/// Checks which names of products and versions can be folder names on every file system.
enum ContentName {
  /// The name of the link to the current version, in the folder of a product.
  static let current = "current"
  /// The name of the work area. No product can have it, because it begins with a dot.
  static let workArea = ".daybook"
  /// The maximum length of a name in bytes: `NAME_MAX` of every file system.
  private static let bytesMax = 255

  /// Returns the reason why a name cannot be a folder name; nil if it can.
  static func fault(in name: Name) -> String? {
    let text = name.text
    if text.isEmpty { return "it is empty" }
    if text.utf8.count > bytesMax { return "it is longer than \(bytesMax) bytes" }
    if text.hasPrefix(".") { return "it begins with a dot" }
    if text.unicodeScalars.contains(where: { $0 == "/" || $0 == "\\" || $0 == ":" }) {
      return "it contains a /, a \\ or a :"
    }
    if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      return "it contains a control character"
    }
    if folded(text) == current { return "that is the name of the link to the current version" }
    return nil
  }

  /// Returns the name as seen by a file system that ignores case and normalization.
  static func folded(_ name: String) -> String {
    name.precomposedStringWithCanonicalMapping.lowercased()
  }

  /// Returns a different name in a list that is equal apart from case and normalization.
  static func twin(of name: Name, among names: [String]) -> String? {
    let own = folded(name.text)
    return names.first { Name($0) != name && folded($0) == own }
  }
}
