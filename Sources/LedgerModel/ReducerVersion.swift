/// The one reducer, as a number.
public enum Reducer {
  /// Which answers and findings histories come to: counts up with every change of them, whatever
  /// brought it about, and with nothing else.
  ///
  /// What was folded by another version is not gone on with. A test holds the answers to a number
  /// of histories against this version and says when it has to count up.
  public static let version: UInt32 = 2
}
