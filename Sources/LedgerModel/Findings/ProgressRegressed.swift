/// `progress-regressed` (warning): `progress` of a `download.progressed` is lower than that of an
/// earlier one in the same attempt on one device. An attempt ends at `requested`, at finished,
/// failed or cancelled (also by a finish that cancels) and at a launch, not at a pause. Once per
/// attempt.
enum ProgressRegressed {
  /// `highest` is NaN before any progress of the attempt.
  static func breaks(_ progress: Double, highest: Double) -> Bool { progress < highest }
}
