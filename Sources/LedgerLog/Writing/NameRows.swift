internal import LMDB
internal import LedgerEvents

/// Names one after the other in one buffer, each as its row in the log: a byte for its kind, then
/// its text.
///
/// Thousands of texts are compared for each batch. As bytes of one array, they need no reference
/// counting.
struct NameRows: Sendable {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  init() {}

  var count: Int { ends.count }

  /// Returns the row of the name at index `at`.
  @_lifetime(borrow self)
  @inline(__always)
  func row(_ at: Int) -> Span<UInt8> {
    bytes.span.extracting((at == 0 ? 0 : ends[at - 1])..<ends[at])
  }

  /// Returns the kind of the name at index `at`, as a raw value of `NameKind`.
  @inline(__always)
  func kind(_ at: Int) -> UInt8 { bytes[at == 0 ? 0 : ends[at - 1]] }

  /// Returns whether the name at index `at` identifies a person.
  func isPersonal(_ at: Int) -> Bool { NameKind(rawValue: kind(at))?.isPersonal ?? false }

  /// Returns whether the name at index `at` has this kind and text.
  @inline(__always)
  func isName(_ at: Int, _ kind: NameKind, _ text: Span<UInt8>) -> Bool {
    let start = at == 0 ? 0 : ends[at - 1]
    guard ends[at] - start == text.count + 1, bytes[start] == kind.rawValue else { return false }
    return bytes.span.extracting(start + 1..<ends[at]).equals(text)
  }

  /// Adds a name after the others.
  mutating func append(_ kind: NameKind, _ text: Span<UInt8>) {
    bytes.append(kind.rawValue)
    bytes.append(copying: text)
    ends.append(bytes.count)
  }
}
