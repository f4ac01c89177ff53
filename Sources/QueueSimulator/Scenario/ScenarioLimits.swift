/// Limits on the size of a scenario, so that people can read it and its runs stay small.
public enum ScenarioLimits {
  /// The size of a scenario's file in bytes.
  public static let sizeBytesMax = 16 << 20
  /// When a scenario may begin: a ledger holds the years 1970 to 9999, and a script is not longer
  /// than its time.
  public static let startYears = 1970...9_899
  /// The latest moment of a script, in days after its start.
  public static let durationDaysMax: Int64 = 36_500
  public static let accountCountMax = 64
  public static let deviceCountMax = 16
  /// Products are bits of a word in an app's notes.
  public static let productCountMax = 64
  /// Downloads are bits of a word in an app's folders.
  public static let downloadCountMax = 32
  public static let commandCountMax = 1_000
  /// The most actions of one run; a run that needs more does not come to an end.
  public static let actionCountMax = 20_000
  public static let eventCountMax = 100_000
}
