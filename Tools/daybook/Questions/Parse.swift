import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerStore
import LocalTime
import ProductPages

/// Parses arguments that are more than a word. Errors say what was expected.
enum Parse {
  static func instant(_ text: String) throws -> Instant {
    do throws(SpokenTimeError) { return try TimeFrame.times.moment(text) } catch {
      throw ValidationError(error.message)
    }
  }

  /// The end of something that lasts from now on.
  static func end(_ text: String) throws -> Instant {
    do throws(SpokenTimeError) { return try TimeFrame.times.end(text) } catch {
      throw ValidationError(error.message)
    }
  }

  static func ledgerTime(_ text: String) throws -> Clocks.LedgerTime {
    if let position = UInt64(text) { return .position(position) }
    do throws(SpokenTimeError) {
      return .instant(try TimeFrame.times.moment(text, or: "a position (1200)"))
    } catch {
      throw ValidationError(error.message)
    }
  }

  static func position(_ text: String) throws -> UInt64 {
    guard let position = UInt64(text), position > 0 else {
      throw ValidationError("expected a position: a whole number from 1.")
    }
    return position
  }

  static func name(_ text: String) throws -> Name {
    guard !text.isEmpty else { throw ValidationError("expected a name, found nothing.") }
    return Name(text)
  }

  /// Free text, such as who acts and why.
  static func words(_ text: String) throws -> String {
    guard !isBlank(text) else { throw ValidationError("expected words, found nothing.") }
    return text
  }

  /// Whether the text contains nothing readable.
  static func isBlank(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format: true
      default: scalar.properties.isWhitespace
      }
    }
  }

  /// Refuses a range whose end precedes its beginning, because it contains nothing.
  static func refuseTurned(from: UInt64?, to: UInt64?) throws {
    guard let from, let to, from > to else { return }
    throw ValidationError("--from must not be later than --to: --from is \(from), --to is \(to).")
  }

  static func refuseTurned(since: Instant?, until: Instant?) throws {
    guard let since, let until, since >= until else { return }
    guard since == until else {
      throw ValidationError(
        "--since must not be later than --until: --since is \(since.shown), --until is "
          + "\(until.shown).")
    }
    throw ValidationError(
      "nothing lies between --since and --until: both are \(since.shown), and the time of --until "
        + "is not included. For one day or month, name the next one with --until.")
  }

  static func storeItem(_ text: String) throws -> StoreItem {
    do throws(StoreItemError) { return try StoreLink.item(in: text).item } catch {
      throw ValidationError("\(error).")
    }
  }

  static func rule(_ text: String) throws -> Rule {
    if let rule = Rule(id: text) { return rule }
    let ids = Rule.allCases.map(\.id)
    let near = Spelling.nearest(to: text, among: ids).map { "did you mean \($0)? " } ?? ""
    throw ValidationError(
      "\(near)Expected the id of a rule, one of: \(ids.joined(separator: ", ")).")
  }

  /// A rule of the second table and how long something may stay open, such as
  /// `never-finished=PT48H`.
  static func threshold(_ text: String) throws -> RuleThreshold {
    do throws(RuleThreshold.Invalid) { return try RuleThreshold(text) } catch {
      throw ValidationError(error.message)
    }
  }
}

/// A severity by its name.
struct SeverityArgument: ExpressibleByArgument {
  let severity: Rule.Severity

  init(severity: Rule.Severity) { self.severity = severity }

  init?(argument: String) {
    guard let found = Rule.Severity.allCases.first(where: { $0.text == argument }) else {
      return nil
    }
    severity = found
  }

  var defaultValueDescription: String { severity.text }

  static var allValueStrings: [String] { Rule.Severity.allCases.map(\.text) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
