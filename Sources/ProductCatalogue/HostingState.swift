/// The states of hosted content at the store (`content.hostingChanged`).
public enum HostingState {
  /// What a table says of a state. Before the store has approved content, only the sandbox can
  /// download it (Microsoft, *Changes to StoreKit in iOS 6*, iTunes Connect).
  public static func shown(_ state: String?) -> String {
    switch state {
    case nil: "-"
    case "readyToSubmit": "readyToSubmit (sandbox only)"
    case let state?: state
    }
  }
}
