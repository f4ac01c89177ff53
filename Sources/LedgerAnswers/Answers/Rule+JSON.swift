package import LedgerModel

extension Rule {
  /// Writes what the rule means and what to do.
  package func write(to json: inout JSONText) {
    json.object { json in
      json.member("rule", id)
      json.member("severity", severity.text)
      json.member("judged", isJudgedAtAMoment ? "at a moment" : "at an event")
      json.member("oncePer", once)
      json.member("hasThreshold", Thresholds.rules.contains(self))
      json.member("meaning", explanation.meaning)
      json.member("condition", condition)
      json.member("incident", incident.story)
      json.member("file", incident.file)
      json.member("advice", explanation.advice)
    }
  }
}
