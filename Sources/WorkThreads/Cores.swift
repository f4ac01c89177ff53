internal import Foundation

/// The cores that this process may use.
package enum Cores {
  /// How many there were when somebody asked first: each look opens a file.
  package static let count = ProcessInfo.processInfo.activeProcessorCount
}
