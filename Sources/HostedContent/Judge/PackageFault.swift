/// One thing that is wrong with a package: where, what and what to do.
public struct PackageFault: Hashable, Sendable, CustomStringConvertible {
  /// The rule that is broken; its text is what programs read.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// More bytes than the store takes, packed or unpacked.
    case tooLarge
    /// More entries than are read.
    case tooManyEntries
    /// Unpacks to far more than it is packed.
    case bomb
    /// An entry that holds more or fewer bytes than it states.
    case sizeMismatch
    /// Mach-O, ELF, PE, a dynamic library or a script that can be run.
    case executable
    /// A link that leads out of the package.
    case linkOutside
    /// A link that leads by way of another link.
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
    /// A path that is no UTF-8.
    case invalidUTF8
    /// A name that no file system takes, or that would break a terminal or a list.
    case invalidName
    case nameTooLong
    /// The same path twice.
    case duplicate
    /// Two names that are one where case or normal form does not count.
    case sameName
    /// A device, a pipe, a socket.
    case special
    /// There is no `ContentInfo.plist`.
    case infoMissing
    case infoTooLarge
    /// `ContentInfo.plist` is no property list, or no dictionary.
    case infoUnreadable
    case keyMissing
    case keyWrongType
    /// The product is no identifier.
    case badProduct
    /// The product is not the one that was asked for.
    case otherProduct
    /// The product is not in the catalogue.
    case unknownProduct
    /// The version is no dotted number.
    case badVersion
    /// The first version is not 1.0.
    case firstVersion
    /// The version is not higher than the one on offer.
    case versionNotHigher
    /// There is no folder `Contents`.
    case contentsMissing
    /// `Contents` or `ContentInfo.plist` lie at the wrong level.
    case wrongLevel
    /// Something beside `ContentInfo.plist` and `Contents`.
    case stray
  }

  public let code: Code
  /// The path that it is about; empty for the package as a whole.
  public let path: String
  /// What is wrong and what to do.
  public let message: String

  public init(_ code: Code, path: String, _ message: String) {
    self.code = code
    self.path = path
    self.message = message
  }

  public var description: String { path.isEmpty ? message : "\(path): \(message)" }
}
