import Foundation

/// Events for tests, as JSON Lines.
enum Sample {
  /// A recipient of encrypted copies. `EncryptedCopyTests` has its secret.
  static let ageRecipient = "age1kry7ahu2cvpc3f8y0tthzjmuryc060kud4eqp9rv6t8jfltaa9fsg5v8tn"

  static func event(
    _ id: String, _ type: String = "note.added", at second: Int = 0, _ more: String = ""
  ) -> String {
    let data = type == "note.added" ? #","data":{"text":"seen"}"# : ""
    let time = "2026-02-01T12:\(two(second / 60)):\(two(second % 60))Z"
    return #"{"id":"\#(id)","type":"\#(type)","occurredAt":"\#(time)"\#(more)\#(data)}"#
  }

  static func purchase(_ transaction: String, of account: String, at second: Int = 0) -> String {
    event(
      "purchase-\(transaction)", "transaction.purchased", at: second,
      #","account":"\#(account)","device":"phone-\#(account)","#
        + #""transaction":"\#(transaction)","product":"map""#)
  }

  /// Returns notes called `prefix-0`, `prefix-1` and so on, one per line.
  static func notes(_ prefix: String, _ count: Int) -> String {
    (0..<count).map { event("\(prefix)-\($0)", at: $0 % 3_000) + "\n" }.joined()
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
