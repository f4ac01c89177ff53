/// `restore-unanswered` (warning): `restore.requested` more than 1 hour ago and neither `completed`
/// nor `failed` on that device since. The answer to a later request answers it too: a double tap is
/// no fault. Once per request.
enum RestoreUnanswered {
  static func holds(requestedAt: Int64, at moment: Int64, _ thresholds: Thresholds) -> Bool {
    moment - requestedAt > thresholds.restoreUnanswered
  }
}
