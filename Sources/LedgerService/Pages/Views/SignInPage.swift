import HTTPTypes

/// Where somebody presents a token.
struct SignInPage {
  /// The longest token that is read, in bytes; one has 60.
  static let tokenBytesMax = 256

  /// Where the visitor wanted to go.
  let destination: String?
  var refused: String?

  /// An address of this service alone: what begins with two slashes is another host.
  static func isOwn(_ address: String) -> Bool {
    address.hasPrefix("/") && !address.hasPrefix("//") && address.utf8.count <= 8_192
      && address.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
  }

  var page: Page {
    var body: HTML = "<h1>Sign in</h1>\n"
    if let refused { body += "<p class=\"notice bad\" role=\"alert\">\(refused)</p>\n" }
    body += "<form class=\"card\" action=\"/sign-in\" method=\"post\">"
    if let destination, Self.isOwn(destination) { body += .hidden("to", destination) }
    body += "<p class=\"field\"><label for=\"token\">Token</label>"
    body += "<input id=\"token\" name=\"token\" type=\"password\" required "
    body += "autocomplete=\"current-password\" aria-describedby=\"token-hint\" data-first>"
    body +=
      "<span class=\"hint\" id=\"token-hint\">It begins with daybook_. Somebody with access to "
    body += "the ledger makes one: daybook token create NAME --scope read</span></p>"
    body += "<p><button class=\"main\">Sign in</button></p></form>\n"
    body += .note(
      "You stay signed in for twelve hours, until you sign out, or until the token is revoked.")
    return Page(
      title: "Sign in", body: body, status: refused == nil ? .ok : .unauthorized)
  }
}
