internal import Foundation

/// The rules for where messages may be sent.
enum TargetURL {
  /// Checks a URL: `https` with a host, or `http` to an address of this machine, without a name and
  /// a password and without a fragment.
  ///
  /// - Throws: ``WebhookError``: `invalid`.
  static func check(_ text: String) throws(WebhookError) {
    guard text.utf8.count <= Webhook.urlBytesMax else {
      throw WebhookError(.invalid, "the URL has more than \(Webhook.urlBytesMax) bytes.")
    }
    let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard isPlain, let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
      let scheme = parts.scheme?.lowercased(), ["https", "http"].contains(scheme)
    else {
      throw WebhookError(
        .invalid, "expected a URL such as https://example.com/hooks, found \"\(text)\".")
    }
    guard parts.port.map({ (1...65_535).contains($0) }) ?? true else {
      throw WebhookError(.invalid, "the URL has a port that is none: expected 1 to 65535.")
    }
    guard parts.user == nil, parts.password == nil, parts.fragment == nil else {
      throw WebhookError(
        .invalid,
        "the URL has a name, a password or a fragment: leave them out. Messages are signed, so "
          + "that the receiver needs no password.")
    }
    guard scheme == "https" || isOfThisMachine(host) else {
      throw WebhookError(
        .invalid,
        "messages name customers, so they are sent by https; http is only for addresses of this "
          + "machine, and \(host) is none.")
    }
  }

  private static func isOfThisMachine(_ host: String) -> Bool {
    if ["localhost", "::1", "[::1]"].contains(host) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in
        UInt8(part) != nil && part.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
      }
  }
}
