/// The version of the reducer.
public enum Reducer {
  /// Incremented with every change to the answers or findings of any history, whatever the cause,
  /// and for no other reason.
  ///
  /// A fold never continues from the state of another version. A test compares the answers to some
  /// histories with this version and says when it has to be incremented.
  public static let version: UInt32 = 4
}
