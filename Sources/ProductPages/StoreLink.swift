internal import Foundation

/// Reads an item from a link to the store, or from a number alone.
///
/// Accepts links to `appstore.com` and to the hosts below `apple.com` that the store has used
/// (`itunes`, `apps`, `music`, `books`, `podcasts`, `tv`, `phobos`, `geo.…`), with the schemes of
/// the web and of the store's apps (`itms-apps:` and similar), with or without a storefront, and
/// with any path, query and fragment.
///
/// Source: Apple, *Direct product links*: the item is the number after `id` in the path. Older
/// links have it in the query, as in `viewSoftware?id=364709193`. Links to music and books can end
/// with the number alone, and `?i=` selects one song or episode of the item in the path.
public enum StoreLink {
  /// Reads the item in a text.
  ///
  /// - Throws: ``StoreItemError`` that says what the text is instead, and what to do.
  /// - Complexity: O(*n*) in the length of the text.
  public static func item(in text: String) throws(StoreItemError) -> FoundItem {
    let text = trimmed(text)
    if let item = StoreItem(digits: text) { return FoundItem(item) }
    guard !text.isEmpty else {
      throw StoreItemError(.noItem, "the input is empty; expected a link to the store or a number")
    }
    if isBundleIdentifier(text) { throw bundleIdentifier(text) }
    guard let link = parsed(text) else {
      throw StoreItemError(
        .notOfTheStore,
        "\"\(text)\" is neither a link nor a number; expected a link to the store, such as "
          + "https://apps.apple.com/us/app/ibooks/id364709193, or a number alone")
    }
    guard let host = link.host?.lowercased(), isOfTheStore(host) else {
      throw StoreItemError(
        .notOfTheStore,
        "\"\(text)\" leads to \(link.host ?? "no host"), which is not the store; "
          + "open it and use the address that it redirects to")
    }
    return try item(of: link, text)
  }

  private static func item(
    of link: URLComponents, _ text: String
  ) throws(StoreItemError) -> FoundItem {
    let parts = link.path.split(separator: "/").map(String.init)
    let storefront = parts.first.flatMap { isStorefront($0) ? $0.lowercased() : nil }
    let kinds = storefront == nil ? parts[...] : parts.dropFirst()
    let kind = kinds.first.flatMap { linkKinds.contains($0.lowercased()) ? $0.lowercased() : nil }
    let query = link.queryItems ?? []
    if let item = query.first(where: { $0.name == "i" }).flatMap({
      StoreItem(digits: $0.value ?? "")
    }) {
      return FoundItem(item, kind: kind == "podcast" ? "episode" : "song", storefront: storefront)
    }
    // From the end: a name may look like a number, as in /app/id2020-run/id364709193.
    for part in parts.reversed() {
      // People paste queries that begin with & instead of ?; cut those off.
      let part = part.prefix { $0 != "&" && $0 != ";" }
      guard part.lowercased().hasPrefix("id"), let item = StoreItem(digits: part) else { continue }
      return FoundItem(item, kind: kind, storefront: storefront)
    }
    for name in ["id", "salableAdamId", "adamId"] {
      guard let value = query.first(where: { $0.name == name })?.value else { continue }
      if let item = StoreItem(digits: value) {
        return FoundItem(item, kind: kind ?? olderKind(parts.last), storefront: country(query))
      }
      if isBundleIdentifier(value) { throw bundleIdentifier(value) }
    }
    if let value = query.first(where: { $0.name == "bundleId" })?.value {
      throw bundleIdentifier(value)
    }
    if kind != nil, let last = parts.last, let item = StoreItem(digits: last) {
      return FoundItem(item, kind: kind, storefront: storefront)
    }
    throw StoreItemError(
      .noItem,
      "\"\(text)\" has no item number; expected id and digits in its path, as in "
        + "https://apps.apple.com/us/app/ibooks/id364709193. Open the page of the item and use "
        + "that address")
  }

  /// The possible first parts of a path after the storefront.
  private static let linkKinds: Set<String> = [
    "app", "app-bundle", "album", "artist", "audiobook", "author", "book", "course", "developer",
    "episode", "itunes-u", "movie", "movie-bundle", "music-video", "podcast", "song", "story",
    "tv-season", "tv-show", "viewer",
  ]

  /// The store's hosts. They can have prefixes (`geo.`, `ax.`, `de.`).
  private static let hosts = [
    "itunes.apple.com", "apps.apple.com", "music.apple.com", "books.apple.com",
    "podcasts.apple.com", "tv.apple.com", "phobos.apple.com", "appstore.com",
  ]

  private static func isOfTheStore(_ host: String) -> Bool {
    hosts.contains { host == $0 || host.hasSuffix("." + $0) }
  }

  /// Returns the kind in a link to the older store: `viewSoftware` gives `software`.
  private static func olderKind(_ request: String?) -> String? {
    guard let request, request.hasPrefix("view"), request.count > 4 else { return nil }
    return request.dropFirst(4).lowercased()
  }

  private static func country(_ query: [URLQueryItem]) -> String? {
    let value = query.first { ["cc", "country"].contains($0.name) }?.value
    return value.flatMap { isStorefront($0) ? $0.lowercased() : nil }
  }

  private static func isStorefront(_ text: String) -> Bool {
    text.utf8.count == 2 && text.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
  }

  /// Removes what surrounds a link in text (spaces, quotes, angle brackets), and unescapes `&amp;`.
  private static func trimmed(_ text: String) -> String {
    let around = CharacterSet.whitespacesAndNewlines.union(CharacterSet(charactersIn: "<>\"'"))
    return text.trimmingCharacters(in: around).replacingOccurrences(of: "&amp;", with: "&")
  }

  private static func parsed(_ text: String) -> URLComponents? {
    let schemes: Set<String> = [
      "http", "https", "itms", "itmss", "itms-apps", "itms-appss", "itms-books", "itms-bookss",
      "itms-podcasts", "itms-podcast", "itms-music", "macappstore", "macappstores", "music",
      "musics", "itunes",
    ]
    if let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") {
      guard schemes.contains(text[..<colon].lowercased()) else { return nil }
      return URLComponents(string: text)
    }
    guard text.contains("/"), !text.contains(" ") else { return nil }
    return URLComponents(string: "https://" + text)
  }

  /// Returns whether the text looks like `com.example.reader`: at least two parts of letters,
  /// digits and hyphens, at least one with a letter, and not a host of the store.
  ///
  /// Source: Apple, *CFBundleIdentifier*.
  static func isBundleIdentifier(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isWord = { (byte: UInt8) in
      (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x2D
    }
    guard parts.count >= 2, !isOfTheStore(text.lowercased()) else { return false }
    return parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isWord) }
      && text.utf8.contains { (0x61...0x7A).contains($0 | 0x20) }
  }

  private static func bundleIdentifier(_ text: String) -> StoreItemError {
    StoreItemError(
      .bundleIdentifier,
      "\(text) is a bundle identifier; a product page needs the number of the item in the store "
        + "(its Apple ID). Look it up with https://itunes.apple.com/lookup?bundleId=\(text) and "
        + "pass the response instead, or find it in App Store Connect under App "
        + "Information")
  }
}
