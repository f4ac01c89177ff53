internal import Foundation
internal import LedgerEvents

/// Decides which names of products and versions can be folder names on every file system.
enum ContentName {
  /// The name of the link to the current version, beside the versions of a product.
  static let current = "current"
  /// A name that no product has, because it begins with a dot.
  static let workArea = ".daybook"
  /// The longest name in bytes: `NAME_MAX` of every file system.
  private static let bytesMax = 255

  /// Returns why a name cannot be a folder name; nil if it can.
  static func fault(in name: Name) -> String? {
    let text = name.text
    if text.isEmpty { return "it is empty" }
    if text.utf8.count > bytesMax { return "it is longer than \(bytesMax) bytes" }
    if text.hasPrefix(".") { return "it begins with a dot" }
    if text.unicodeScalars.contains(where: { $0 == "/" || $0 == "\\" || $0 == ":" }) {
      return "it has a /, a \\ or a : in it"
    }
    if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      return "it has a control character in it"
    }
    if folded(text) == current { return "the link to the current version has that name" }
    return nil
  }

  /// The name as a file system sees it that ignores case and normal form.
  static func folded(_ name: String) -> String {
    name.precomposedStringWithCanonicalMapping.lowercased()
  }

  /// Another name in a list that is equal apart from case and normal form.
  static func twin(of name: Name, among names: [String]) -> String? {
    let own = folded(name.text)
    return names.first { Name($0) != name && folded($0) == own }
  }
}
