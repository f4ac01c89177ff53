/// `restore-unanswered` (warning): `restore.requested` more than 1 hour ago and neither `completed`
/// nor `failed` on that device before the next request there. Once per restore.
enum RestoreUnanswered {
  static func holds(requestedAt: Int64, at moment: Int64, _ thresholds: Thresholds) -> Bool {
    moment - requestedAt > thresholds.restoreUnanswered
  }
}
