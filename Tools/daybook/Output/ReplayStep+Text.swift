import LedgerEvents
import LedgerModel
import LedgerQueries
import Replay

/// A line for people, and its style.
struct ReplayTextLine {
  enum Style {
    case plain
    case bold
    case red
  }

  var text: String
  var style = Style.plain

  /// A text in the line's style.
  func styled(_ text: String) -> String {
    switch style {
    case .plain: text
    case .bold: Console.bold(text)
    case .red: Console.red(text)
    }
  }
}

extension ReplayStep {
  /// The event, what it changed, and what it broke.
  var textLines: [ReplayTextLine] {
    let event = event.event
    var title = "\(self.event.position)  \(event.occurredAt.shown)  \(event.type.text)"
    for name in [event.account, event.product, event.transaction ?? event.payment, event.download] {
      if let name { title += "  \(name.text)" }
    }
    if let item = event.data.string("storeItem") { title += "  item \(item)" }
    var lines = [ReplayTextLine(text: title.printable, style: .bold)]
    if let note { lines.append(ReplayTextLine(text: ("    " + note).printable)) }
    for change in changes { lines.append(ReplayTextLine(text: "    " + change.text)) }
    for finding in broken { lines.append(line("breaks", finding)) }
    for finding in settled { lines.append(line("settles", finding)) }
    return lines
  }

  private func line(_ verb: String, _ finding: FindingAnswer) -> ReplayTextLine {
    var text = "\(verb) \(finding.rule.id) (\(finding.severity.text))"
    if finding.position != event.position { text += " at position \(finding.position)" }
    if finding.concerns != "-" { text += ": \(finding.concerns)" }
    let isBad = verb == "breaks" && finding.isAlarming
    return ReplayTextLine(
      text: "    ! " + text.printable, style: isBad ? .red : .plain)
  }
}

extension ReplayChange {
  /// What changed, and its values before and after.
  var text: String {
    ("\(subject.text): \(before?.text ?? "-") → \(after?.text ?? "-")").printable
  }
}

extension ReplaySubject {
  /// What it is, for people.
  var text: String {
    var text = "\(kind.rawValue) \(name.text)"
    if let transaction {
      text += kind == .download ? " of \(transaction.text)" : " of original \(transaction.text)"
    }
    if let account { text += " of \(account.text)" }
    if let device { text += " on \(device.text)" }
    if environment != .production { text += " in \(environment.text)" }
    return text
  }
}
