/// `restore-unanswered` (warning): `restore.requested` was more than 1 hour ago, and there has been
/// neither `completed` nor `failed` on that device since. The answer to a later request also
/// answers this one, because a double tap is not a fault. Once per request.
enum RestoreUnanswered {
  static func holds(requestedAt: Int64, at moment: Int64, _ thresholds: Thresholds) -> Bool {
    moment - requestedAt > thresholds.restoreUnanswered
  }
}
