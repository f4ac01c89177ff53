extension QueueDownload {
  /// A path without the app's home before it, which names the installation. Of a path elsewhere
  /// only the last part is kept.
  public static func relative(_ path: String, to home: String) -> String {
    let home = home.hasSuffix("/") ? home : home + "/"
    // iOS reaches the same folder by two names.
    for prefix in [home, "/private" + home] where path.hasPrefix(prefix) {
      return String(path.dropFirst(prefix.count))
    }
    return path.split(separator: "/").last.map(String.init) ?? path
  }
}
