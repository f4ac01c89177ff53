public import LedgerEvents

/// The owner of a folder of content: one device of one account.
public struct ContentOwner: Hashable, Sendable {
  public var account: Name
  public var device: Name

  public init(account: Name, device: Name) {
    self.account = account
    self.device = device
  }
}

extension ContentOwner {
  /// The line that records the owner in a folder.
  var line: [UInt8] {
    let value = JSONValue.object([
      ("account", .string(account.text)), ("device", .string(device.text)),
    ])
    return JournalLine.encode(value.json)
  }

  /// Returns nil if the line is incomplete.
  init?(line: [UInt8]) {
    guard let json = JournalLine.whole(in: line).first, let value = JournalLine.value(json),
      let account = value.text("account"), let device = value.text("device")
    else { return nil }
    self.init(account: Name(account), device: Name(device))
  }
}
