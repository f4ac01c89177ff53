/// Indices in the state of a simulated world, and in what it records, are small plain integers. A
/// search keeps millions of states, and an optional integer takes twice the space.
extension SignedInteger {
  /// The index of something that does not exist.
  static var absent: Self { -1 }

  /// Whether this is the index of something that does not exist.
  var isAbsent: Bool { self < 0 }
}
