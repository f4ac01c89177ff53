public import LedgerEvents

/// A change to the events of a replay, to see what would have come of it.
///
/// Positions are those of the source as it is, whatever edits went before.
public enum ReplayEdit: Sendable {
  /// The event never happened.
  case drop(UInt64)
  /// The event happened right after another one; after 0 is before all.
  case move(UInt64, after: UInt64)
  /// The event happened once more, right after itself.
  case `repeat`(UInt64)
  /// Other events happened: right after one of the source, or when they say that they did.
  case insert([EventInput], after: UInt64?)
}

/// Why the events of a replay cannot be edited as asked, and what to do.
public struct ReplayEditError: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
