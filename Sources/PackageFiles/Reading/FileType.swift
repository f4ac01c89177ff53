/// The type of a file, from its mode bits (sys/stat.h: the same on every system).
enum FileType: Equatable {
  case file
  case folder
  case link
  /// A device, a pipe or a socket, described as text.
  case special(String)

  private static let mask: UInt32 = 0o170000

  init(mode: UInt32) {
    switch mode & Self.mask {
    case 0o100000: self = .file
    case 0o040000: self = .folder
    case 0o120000: self = .link
    case 0o020000: self = .special("a character device")
    case 0o060000: self = .special("a block device")
    case 0o010000: self = .special("a pipe")
    case 0o140000: self = .special("a socket")
    default: self = .special("a file of unknown type")
    }
  }
}
