extension BinaryInteger {
  /// The number with what it counts: `1 event`, `2 events`, `0 matches`.
  ///
  /// - Parameter plural: The plural, if it is not the singular with an s.
  package func counted(_ singular: String, _ plural: String? = nil) -> String {
    "\(self) \(self == 1 ? singular : plural ?? singular + "s")"
  }
}
