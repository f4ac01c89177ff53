#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A UTF-8 locale for calls into libarchive, which returns names in the thread's locale and
/// replaces characters that the locale lacks. The process's own locale is not changed.
@safe struct LocaleOfNames: ~Copyable {
  private static let names = ["C.UTF-8", "C.utf8", "en_US.UTF-8", "UTF-8"]

  private let locale: locale_t?

  init() {
    var found: locale_t?
    for name in Self.names where unsafe found == nil {
      // SAFETY: newlocale reads the name during the call; the locale is freed with this value.
      unsafe found = newlocale(characterTypeMask, name, nil)
    }
    unsafe locale = found
  }

  deinit {
    // SAFETY: no thread still uses the locale, because `use` restores the previous one.
    if let locale = unsafe locale { unsafe freelocale(locale) }
  }

  /// Runs `body` with UTF-8 names on this thread.
  ///
  /// libarchive asks `errno` why a name could not be converted. If an earlier call of the thread
  /// has left `ENOMEM` there, it takes the name for a lack of memory, and can end the process.
  func use<Result>(_ body: () -> Result) -> Result {
    errno = 0
    guard let locale = unsafe locale else { return body() }
    // SAFETY: the locale lives as long as this value, and the thread's own locale is restored.
    let before = unsafe uselocale(locale)
    defer { unsafe uselocale(before) }
    return body()
  }
}

#if canImport(Glibc)
  /// `LC_CTYPE_MASK`, which the C importer does not import: `1 << LC_CTYPE`.
  private let characterTypeMask = Int32(1) << Int32(LC_CTYPE)
#else
  private let characterTypeMask = Int32(LC_CTYPE_MASK)
#endif
