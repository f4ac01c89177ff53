/// Limits on the size of a scenario, so that people can read it and its runs stay small.
public enum ScenarioLimits {
  /// The maximum size of a scenario's file, in bytes.
  public static let sizeBytesMax = 16 << 20
  /// The years in which a scenario may begin. A ledger holds the years 1970 to 9999, and a script
  /// lasts at most `durationDaysMax` days.
  public static let startYears = 1970...9_899
  /// The latest moment of a script, in days after its start.
  public static let durationDaysMax: Int64 = 36_500
  public static let accountCountMax = 64
  public static let deviceCountMax = 16
  /// An app's notes have one bit of a word for each product.
  public static let productCountMax = 64
  /// An app's folders have one bit of a word for each download.
  public static let downloadCountMax = 32
  public static let commandCountMax = 1_000
  /// The maximum number of actions in one run. A run that needs more does not end.
  public static let actionCountMax = 20_000
  public static let eventCountMax = 100_000
}
