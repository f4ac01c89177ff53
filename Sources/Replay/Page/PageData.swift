internal import LedgerEvents
internal import LedgerModel
internal import LedgerQueries

/// What the page of a timeline shows, as compact JSON: each text occurs once, and everything else
/// refers to texts by their numbers.
///
/// The numbers of texts begin at 1; 0 means none. `<` is escaped, so that no text can end the
/// element that contains the document.
struct PageData {
  private let history: ReplayHistory
  private let timeline: Timeline
  private var texts: [String] = []
  private var numbers: [Name: Int] = [:]
  private var subjects: [ReplaySubject] = []
  private var subjectNumbers: [ReplaySubject: Int] = [:]
  private var rules: [Rule] = []

  init(_ history: ReplayHistory, _ timeline: Timeline) {
    self.history = history
    self.timeline = timeline
  }

  /// The document.
  ///
  /// - Complexity: O(*n*) in the size of the steps.
  mutating func json(title: String) -> String {
    var json = "{\"title\":" + Self.quoted(title)
    json += ",\"events\":" + Self.array(history.steps.indices.map { event($0) })
    json += ",\"earlierChanges\":" + Self.array(history.steps.map { changes($0.earlierChanges) })
    json += ",\"changes\":" + Self.array(history.steps.map { changes($0.changes) })
    json += ",\"order\":" + Self.array(timeline.order.map { "\($0)" })
    json += ",\"lanes\":" + Self.array(timeline.lanes.map { lane($0) })
    json += ",\"findings\":" + Self.array(findings())
    // These come last, because the values above have collected them.
    json += ",\"subjects\":" + Self.array(subjects.indices.map { subject(subjects[$0]) })
    json += ",\"rules\":" + Self.array(rules.map { Self.rule($0) })
    json += ",\"texts\":" + Self.array(texts.map { Self.quoted($0) })
    return json + "}"
  }

  private mutating func event(_ index: Int) -> String {
    let recorded = history.steps[index].event
    let event = recorded.event
    let names = [
      event.account, event.device, event.session, event.payment, event.product, event.transaction,
      event.originalTransaction, event.download, event.app,
    ]
    var numbers = [
      "\(recorded.position)", "\(recorded.believedTime)", "\(event.occurredAt.microseconds)",
      "\(recorded.recordedAt.microseconds)", "\(timeline.laneOfStep[index])",
      "\(number(event.id))", "\(number(Name(event.type.text)))",
      "\(number(event.source.map { Name($0.text) }))",
      "\(number(event.environment.map { Name($0.text) }))",
    ]
    for name in names { numbers.append("\(number(name))") }
    numbers.append(event.sequence.map { "\($0)" } ?? "-1")
    numbers.append(event.data.isEmpty ? "\"\"" : Self.quoted(Self.text(of: event.data)))
    numbers.append("\(number(history.steps[index].note.map { Name($0) }))")
    return Self.array(numbers)
  }

  /// Pairs of a subject and its standing from here on.
  private mutating func changes(_ changes: [ReplayChange]) -> String {
    var pairs: [String] = []
    for change in changes {
      pairs.append("\(number(change.subject))")
      pairs.append("\(number(change.after.map { Name($0.text) }))")
    }
    return Self.array(pairs)
  }

  private mutating func lane(_ lane: Timeline.Lane) -> String {
    let what: [String]
    switch lane.subject {
    case .loose: what = ["0", "0", "0", "0", "0"]
    case .device(let device): what = ["1", "0", "0", "0", "\(number(device))"]
    case .transaction(let environment, let name):
      what = ["2", "\(number(Name(environment.text)))", "\(number(name))", "0", "0"]
    case .download(let environment, let transaction, let download, let device):
      what = [
        "3", "\(number(Name(environment.text)))", "\(number(transaction))", "\(number(download))",
        "\(number(device))",
      ]
    }
    var points: [String] = []
    for point in lane.points {
      points.append("\(point.step)")
      points.append("\(number(Name(point.phase)))")
      points.append(point.progress.map { "\(Int(($0 * 1000).rounded(.down)))" } ?? "-1")
    }
    return Self.array(what + [Self.array(points)])
  }

  private mutating func findings() -> [String] {
    var stepByPosition: [UInt64: Int] = [:]
    for (index, step) in history.steps.enumerated() { stepByPosition[step.event.position] = index }
    return history.pageFindings.map { entry in
      let finding = entry.finding
      let names = [
        finding.account, finding.device, finding.transaction, finding.product, finding.download,
        finding.detail, Name(finding.environment.text),
      ]
      var numbers = [
        "\(number(finding.rule))", "\(stepByPosition[finding.position] ?? -1)",
        "\(finding.position)",
        "\(entry.broken ?? -1)", "\(entry.settled ?? -1)",
      ]
      for name in names { numbers.append("\(number(name))") }
      return Self.array(numbers)
    }
  }

  private mutating func subject(_ subject: ReplaySubject) -> String {
    let names = [
      Name(subject.kind.rawValue), Name(subject.environment.text), subject.account,
      subject.transaction, subject.device, subject.name,
    ]
    var numbers: [String] = []
    for name in names { numbers.append("\(number(name))") }
    return Self.array(numbers)
  }

  private static func rule(_ rule: Rule) -> String {
    array([
      quoted(rule.id), "\(rule.severity.rawValue)", quoted(rule.explanation.meaning),
      quoted(rule.explanation.advice),
    ])
  }
}

extension PageData {
  private mutating func number(_ name: Name?) -> Int {
    guard let name else { return 0 }
    if let known = numbers[name] { return known }
    texts.append(name.text)
    numbers[name] = texts.count
    return texts.count
  }

  private mutating func number(_ subject: ReplaySubject) -> Int {
    if let known = subjectNumbers[subject] { return known }
    subjects.append(subject)
    subjectNumbers[subject] = subjects.count - 1
    return subjects.count - 1
  }

  private mutating func number(_ rule: Rule) -> Int {
    if let known = rules.firstIndex(of: rule) { return known }
    rules.append(rule)
    return rules.count - 1
  }

  private static func array(_ values: [String]) -> String {
    "[" + values.joined(separator: ",") + "]"
  }

  /// The JSON text of `data`, as it was appended.
  private static func text(of data: EventData) -> String {
    let members = data.members.map { member in
      quoted(member.name) + ":" + String(decoding: member.json, as: UTF8.self)
    }
    return "{" + members.joined(separator: ",") + "}"
  }

  /// A JSON string that is safe inside an HTML element.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\u{0}"..<" ", "<", ">", "&", "\u{7F}", "\u{2028}", "\u{2029}":
        let hex = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
