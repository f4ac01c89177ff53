public import LedgerEvents

/// A change to the events of a replay, to see what would have happened.
///
/// Positions are those of the unedited source, whatever edits precede this one.
public enum ReplayEdit: Sendable {
  /// The event never happened.
  case drop(UInt64)
  /// The event happened right after another one; 0 means before all others.
  case move(UInt64, after: UInt64)
  /// The event happened a second time, right after the first.
  case `repeat`(UInt64)
  /// Other events happened: right after one of the source, or at the times that they state.
  case insert([EventInput], after: UInt64?)
}

/// Why the events of a replay cannot be edited as requested, and what to do.
public struct ReplayEditError: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
