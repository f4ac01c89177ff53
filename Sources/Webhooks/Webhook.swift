package import LedgerEvents

/// Where changes are told, and which.
package struct Webhook: Hashable, Sendable {
  /// The longest name, in characters: it stands in addresses and in lines of the log.
  package static let nameCountMax = 64
  /// The longest URL, in bytes.
  package static let urlBytesMax = 2_048
  /// How many webhooks a ledger can have: each one looks at every change.
  package static let countMax = 64

  /// What it is called: one to ``nameCountMax`` of A-Z, a-z, 0-9, `.`, `_` and `-`.
  package var name: String
  /// Where messages are sent: `https`, or `http` on this machine.
  package var url: String
  package var filter: MessageFilter
  package var createdAt: Instant
  /// It tells what changes after this position, which was the ledger's last one when it was made;
  /// nil until a service has taken it up.
  package var since: UInt64?
  /// Since when nothing is sent, while messages are collected; nil if it is not paused.
  package var pausedAt: Instant?
  /// Why the service has paused it; nil if an operator has.
  package var pauseReason: String?

  package init(name: String, url: String, filter: MessageFilter, createdAt: Instant) {
    (self.name, self.url, self.filter, self.createdAt) = (name, url, filter, createdAt)
  }
}

extension Webhook {
  /// Checks that the name, the URL and the filter are well-formed.
  ///
  /// - Throws: ``WebhookError``: `invalid`, with what was expected.
  package func check() throws(WebhookError) {
    let isName = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        true
      default: false
      }
    }
    guard isName, (1...Self.nameCountMax).contains(name.utf8.count) else {
      throw WebhookError(
        .invalid,
        "expected a name of 1 to \(Self.nameCountMax) letters (A-Z, a-z), digits, \".\", \"_\" and "
          + "\"-\", found \"\(name)\".")
    }
    try TargetURL.check(url)
    try filter.check()
  }
}
