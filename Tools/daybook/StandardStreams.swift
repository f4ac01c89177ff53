import Foundation

/// Sees to it that the three standard streams are there.
///
/// Whoever starts the program with one of them closed would else have the next file that is opened
/// take its number: the ledger's own would be read as input, or written as output.
enum StandardStreams {
  private static let lastNumber: Int32 = 2

  /// Opens what is missing on nothing; returns what has to be held for as long as the program runs.
  static func fillGaps() -> [FileHandle] {
    var held: [FileHandle] = []
    for number in 0...lastNumber where fcntl(number, F_GETFD) < 0 {
      // The lowest free number is given out, which is this one.
      if let nothing = FileHandle(forUpdatingAtPath: "/dev/null") { held.append(nothing) }
    }
    return held
  }
}
