/// `failed-without-error` (warning): `transaction.failed` or `download.failed` without `error`.
/// Once per event.
enum FailedWithoutError {
  static func breaks(_ fact: Fact) -> Bool { !(fact.detail?.fields.hasError ?? false) }
}
