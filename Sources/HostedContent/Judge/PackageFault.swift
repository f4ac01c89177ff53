/// A fault in a package: its location, a description, and what to do.
public struct PackageFault: Hashable, Sendable, CustomStringConvertible {
  /// The rule that the package breaks. The raw values are stable, for programs.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The package has more bytes than the store accepts, packed or unpacked.
    case tooLarge
    /// The package has more entries than the limit.
    case tooManyEntries
    /// The container unpacks to far more than its packed size.
    case bomb
    /// An entry contains more or fewer bytes than it states.
    case sizeMismatch
    /// A file is Mach-O, ELF, PE, a dynamic library or an executable script.
    case executable
    /// A link that leads out of the package.
    case linkOutside
    /// A link that leads through another link.
    case linkThroughLink
    /// A link to something that is not in the package.
    case linkToNothing
    /// A hard link to anything but an earlier file.
    case hardLink
    /// An entry below a link.
    case belowLink
    /// An entry below a file, or a file where a folder is.
    case fileAndFolder
    case absolutePath
    /// A path with `..`.
    case climbingPath
    /// A path with an empty part or `.`.
    case emptyComponent
    /// A path that is not UTF-8.
    case invalidUTF8
    /// A name that no file system accepts, or that would break a terminal or a list.
    case invalidName
    case nameTooLong
    /// The same path twice.
    case duplicate
    /// Two names that are equal apart from case and normalization.
    case sameName
    /// A device, a pipe, a socket.
    case special
    /// There is no `ContentInfo.plist`.
    case infoMissing
    case infoTooLarge
    /// `ContentInfo.plist` is not a property list, or not a dictionary.
    case infoUnreadable
    case keyMissing
    case keyWrongType
    /// The product is not an identifier.
    case badProduct
    /// The product is not the requested one.
    case otherProduct
    /// The product is not in the catalogue.
    case unknownProduct
    /// The version is not a dotted number.
    case badVersion
    /// The first version is not 1.0.
    case firstVersion
    /// The version is not higher than the one on offer.
    case versionNotHigher
    /// There is no folder `Contents`.
    case contentsMissing
    /// `Contents` or `ContentInfo.plist` is at the wrong level.
    case wrongLevel
    /// Something other than `ContentInfo.plist` and `Contents` is at the top.
    case stray
  }

  public let code: Code
  /// The path that the fault is about; empty for the whole package.
  public let path: String
  /// A description of the fault, and what to do.
  public let message: String

  public init(_ code: Code, path: String, _ message: String) {
    self.code = code
    self.path = path
    self.message = message
  }

  public var description: String { path.isEmpty ? message : "\(path): \(message)" }
}
