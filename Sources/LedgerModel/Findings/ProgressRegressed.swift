/// `progress-regressed` (warning): the `progress` of a `download.progressed` is lower than an
/// earlier one in the same attempt on one device. An attempt ends when the download is requested,
/// finished, failed or cancelled (also by a finish), and at a launch, but not at a pause. Once per
/// attempt.
enum ProgressRegressed {
  /// `highest` is NaN before any progress of the attempt.
  static func breaks(_ progress: Double, highest: Double) -> Bool { progress < highest }
}
