internal import Foundation
internal import LedgerEvents

/// Which names of products and versions can be names of folders, on every file system.
enum ContentName {
  /// The link to the version that is current, beside the versions of a product.
  static let current = "current"
  /// What no product is called: it begins with a dot.
  static let workArea = ".daybook"
  /// The longest name in bytes: `NAME_MAX` of every file system.
  private static let bytesMax = 255

  /// Says what keeps a name from being a folder's; nil where nothing does.
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

  /// The name as a file system sees it that tells neither case nor normal form apart.
  static func folded(_ name: String) -> String {
    name.precomposedStringWithCanonicalMapping.lowercased()
  }

  /// Another name in a list that is the same where case or normal form does not count.
  static func twin(of name: Name, among names: [String]) -> String? {
    let own = folded(name.text)
    return names.first { Name($0) != name && folded($0) == own }
  }
}
