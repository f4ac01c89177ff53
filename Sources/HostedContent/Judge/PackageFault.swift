/// One thing that is wrong with a package: where and what it is, and what to do.
public struct PackageFault: Hashable, Sendable, CustomStringConvertible {
  /// The rule that is broken. Programs read its text.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// More bytes than the store takes, packed or unpacked.
    case tooLarge
    /// More entries than the limit.
    case tooManyEntries
    /// The container unpacks to far more than its packed size.
    case bomb
    /// An entry that holds more or fewer bytes than it states.
    case sizeMismatch
    /// Mach-O, ELF, PE, a dynamic library or a script that can be run.
    case executable
    /// A link that leads out of the package.
    case linkOutside
    /// A link that leads through another link.
    case linkThroughLink
    /// A link to what is not in the package.
    case linkToNothing
    /// A hard link to anything but a file that came before.
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
    /// Two names that are equal apart from case and normal form.
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
    /// Something at the top besides `ContentInfo.plist` and `Contents`.
    case stray
  }

  public let code: Code
  /// The path to which it applies; empty for the package as a whole.
  public let path: String
  /// What is wrong, and what to do.
  public let message: String

  public init(_ code: Code, path: String, _ message: String) {
    self.code = code
    self.path = path
    self.message = message
  }

  public var description: String { path.isEmpty ? message : "\(path): \(message)" }
}
