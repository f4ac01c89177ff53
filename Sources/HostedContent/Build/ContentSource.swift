internal import Foundation
internal import LedgerEvents

/// A folder of content in the form of the package to build, with `ContentInfo.plist` first.
struct ContentSource: PackageReader, ~Copyable {
  private enum Step {
    case info
    case contents
    case folder
  }

  private var package: OpenedPackage
  private let info: [UInt8]
  /// Whether the folder has the form of a package. Its own `ContentInfo.plist` has then been read
  /// already, and is skipped.
  private let isPackage: Bool
  private var step = Step.info
  private var infoRead = 0
  private var isReadingInfo = false

  private init(_ package: consuming OpenedPackage, _ info: [UInt8], isPackage: Bool) {
    self.package = package
    self.info = info
    self.isPackage = isPackage
  }

  static func open(
    folder: String, product: Name, version: Name
  ) throws(ContentError) -> ContentSource {
    let isPackage = try Self.isPackage(folder)
    let own = isPackage ? try ownInfo(folder, product, version) : nil
    return ContentSource(
      try OpenedPackage(path: folder), own ?? info(product, version), isPackage: isPackage)
  }

  /// The folder's own `ContentInfo.plist`, if it can be packed unchanged; nil if there is none, or
  /// if a new one loses nothing that it states.
  ///
  /// - Throws: ``ContentError``: `malformed` if it cannot be read; `refused` if it states another
  ///   product or version, and a new one would lose its other keys.
  private static func ownInfo(
    _ folder: String, _ product: Name, _ version: Name
  ) throws(ContentError) -> [UInt8]? {
    let path = folder + "/" + ContentInfo.fileName
    var package = try OpenedPackage(path: folder)
    guard let bytes = try ContentInfo.bytes(in: &package) else { return nil }
    let (read, reason) = ContentInfo.read(bytes)
    guard let read else {
      throw ContentError(
        .malformed, path: path, "\(reason): correct it, or remove it and build writes a new one.")
    }
    if case .text(product.text) = read.product, case .text(version.text) = read.version {
      return bytes
    }
    guard !read.otherKeys.isEmpty else { return nil }
    let keys = read.otherKeys.joined(separator: ", ")
    throw ContentError(
      .refused, path: path,
      "does not state \(product.text) in version \(version.text), and a new one would not have "
        + "its other keys (\(keys)): set \(ContentInfo.productKey) and "
        + "\(ContentInfo.versionKey) in it, or remove those keys.")
  }

  /// Returns whether the folder has `ContentInfo.plist` at its top, or only `Contents`.
  private static func isPackage(_ folder: String) throws(ContentError) -> Bool {
    guard try OpenedPackage(path: folder).format == .folder else {
      throw ContentError(
        .malformed, path: folder, "is not a folder: name the folder with the files of the content.")
    }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw ContentError(.inputOutput, path: folder, "cannot be listed: \(error)")
    }
    return names.contains(ContentInfo.fileName) || names == [PackageLevels.contents]
  }

  mutating func next() throws(ContentError) -> PackageEntry? {
    isReadingInfo = false
    switch step {
    case .info:
      step = isPackage ? .folder : .contents
      isReadingInfo = true
      return PackageEntry(
        path: ContentInfo.fileName, kind: .file(bytes: UInt64(info.count)), permissions: 0o644)
    case .contents:
      step = .folder
      return PackageEntry(path: PackageLevels.contents, kind: .folder, permissions: 0o755)
    case .folder:
      while var entry = try package.next() {
        if isPackage {
          if entry.path.isSameBytes(as: ContentInfo.fileName) { continue }
        } else {
          entry.path = PackageLevels.contents + "/" + entry.path
        }
        return entry
      }
      return nil
    }
  }

  mutating func read(into buffer: inout [UInt8]) throws(ContentError) -> Int {
    guard isReadingInfo else { return try package.read(into: &buffer) }
    let count = min(buffer.count, info.count - infoRead)
    buffer.replaceSubrange(..<count, with: info[infoRead..<infoRead + count])
    infoRead += count
    return count
  }

  mutating func checkUnchanged() throws(ContentError) { try package.checkUnchanged() }

  /// Returns the property list in the form that Xcode writes.
  static func info(_ product: Name, _ version: Name) -> [UInt8] {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \t<key>ContentVersion</key>
      \t<string>\(version.text.escapedForXML)</string>
      \t<key>IAPProductIdentifier</key>
      \t<string>\(product.text.escapedForXML)</string>
      </dict>
      </plist>

      """
    return Array(text.utf8)
  }
}

extension String {
  /// The text, escaped for use between tags.
  var escapedForXML: String {
    var escaped = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Whether XML 1.0 allows every character (2.2 Characters).
  var isXMLText: Bool {
    unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
    }
  }
}
