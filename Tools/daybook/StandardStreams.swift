import Foundation

/// Ensures that the three standard streams exist.
///
/// If the program is started with one of them closed, the next file that is opened would take its
/// number. A file of the ledger would then be read as input or written as output.
enum StandardStreams {
  private static let lastNumber: Int32 = 2

  /// Opens `/dev/null` for each missing stream, and returns the handles, which must live as long as
  /// the program runs.
  static func fillGaps() -> [FileHandle] {
    var held: [FileHandle] = []
    for number in 0...lastNumber where fcntl(number, F_GETFD) < 0 {
      // The system assigns the lowest free number, which is this one.
      if let nothing = FileHandle(forUpdatingAtPath: "/dev/null") { held.append(nothing) }
    }
    return held
  }
}
