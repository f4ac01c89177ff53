import ArgumentParser
import LedgerQueries

/// A type of events, or a pattern of types with `*` for anything: `download.*`.
///
/// Types that the vocabulary does not contain are accepted, because appends accept them. A pattern
/// that no type can match is refused, because it would never find anything.
enum TypePatternArgument {
  static func pattern(_ text: String) throws -> String {
    guard TypePattern.canMatch(text) else {
      throw ValidationError(
        "expected a type, subject.verb in letters such as transaction.purchased, in which * may "
          + "stand for anything, as in \"download.*\".")
    }
    return text
  }

  static func type(_ text: String) throws -> String {
    guard !text.contains("*"), TypePattern.canMatch(text) else {
      throw ValidationError(
        "expected a type, subject.verb in letters such as transaction.purchased.")
    }
    return text
  }
}
