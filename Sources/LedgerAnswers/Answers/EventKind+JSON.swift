package import LedgerEvents

extension EventKind {
  /// Writes what the vocabulary says of the type.
  package func write(to json: inout JSONText) {
    let rule = Vocabulary.rule(self)
    json.object { json in
      json.member("type", text)
      json.member("recordedWhen", recordedWhen)
      json.member("needs", strings: rule.needTexts)
      json.member("data", each: rule.fieldReferences) { json, field in
        json.object { json in
          json.member("field", field.path)
          json.member("form", field.form)
          json.member("needed", field.isNeeded)
          json.member("personal", field.isPersonal)
          json.member("meaning", field.meaning)
        }
      }
      json.key("example")
      json.raw(example)
    }
  }
}

extension EnvelopeField {
  /// Writes what the vocabulary says of the field.
  package func write(to json: inout JSONText) {
    json.object { json in
      json.member("field", rawValue)
      json.member("needed", isNeeded)
      json.member("form", form)
      json.member("meaning", meaning)
    }
  }
}
