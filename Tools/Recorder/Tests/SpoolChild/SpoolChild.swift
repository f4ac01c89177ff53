import DaybookRecorder
import Foundation

/// Appends numbered lines to a spool until it is killed, and prints each when it is acknowledged.
/// `SpoolChild FOLDER FIRST [early]`: `early` prints before it appends, which is the mistake that
/// the test has to find.
@main struct SpoolChild {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3, let first = Int(arguments[2]) else {
      throw CocoaError(.coderInvalidValue)
    }
    let isEarly = arguments.dropFirst(3).first == "early"
    let spool = try Spool(folder: arguments[1])
    let output = FileHandle.standardOutput
    var number = first
    while true {
      let line = #"{"id":"line-\#(number)"}"#
      let acknowledgement = Data("\(number)\n".utf8)
      if isEarly { try output.write(contentsOf: acknowledgement) }
      try spool.append([[UInt8](line.utf8)])
      if !isEarly { try output.write(contentsOf: acknowledgement) }
      number += 1
    }
  }
}
