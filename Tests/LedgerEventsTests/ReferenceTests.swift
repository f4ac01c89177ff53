import LedgerEvents
import Testing

/// The texts for the vocabulary that `docs/events.md` and `daybook types` show.
@Suite("The reference of events") struct ReferenceTests {
  @Test("every type and every field says what it means", arguments: EventKind.allCases)
  func everyType(kind: EventKind) {
    var texts = [kind.recordedWhen]
    for field in Vocabulary.rule(kind).fieldReferences {
      #expect(!field.form.isEmpty)
      texts.append(field.meaning)
    }
    for text in texts { #expect(text.count > 5 && text.hasSuffix("."), "\(text)") }
  }

  @Test(
    "the example of each type is an event of it that needs nothing more",
    arguments: EventKind.allCases)
  func exampleEach(kind: EventKind) throws {
    guard let example = kind.example else {
      #expect(kind == .unknown)
      return
    }
    let event = try EventDecoder().decode(line: Array(example.utf8)).event
    #expect(event.type.kind == kind)
    #expect(String(decoding: EventEncoder().encode(event), as: UTF8.self) == example)
  }

  @Test("examples have ids of their own and name only fields of the vocabulary") func examplesHave()
    throws
  {
    var ids: Set<Name> = []
    for kind in EventKind.allCases {
      guard let example = kind.example else { continue }
      let event = try EventDecoder().decode(line: Array(example.utf8)).event
      #expect(ids.insert(event.id).inserted)
      for member in event.data.members {
        #expect(Vocabulary.rule(kind).field(member.name) != nil, "\(kind.text): \(member.name)")
      }
    }
  }

  @Test("every field of the envelope says what it means") func everyField() {
    for field in EnvelopeField.allCases {
      #expect(!field.form.isEmpty)
      #expect(field.meaning.hasSuffix("."))
    }
  }

  @Test("needed members of data and of objects are marked") func neededMembers() {
    func needed(_ kind: EventKind) -> [String] {
      Vocabulary.rule(kind).fieldReferences.filter(\.isNeeded).map(\.path)
    }
    #expect(needed(.consumableConsumed) == ["unit", "amount"])
    #expect(needed(.catalogSet) == ["products", "products[].product", "products[].kind"])
    #expect(needed(.entitlementGranted) == [])
    #expect(Vocabulary.rule(.entitlementGranted).needTexts.last == "data.entitlement or product")
  }

  @Test("units stand in the form") func unitsStand() {
    let fields = Vocabulary.rule(.downloadProgressed).fieldReferences
    #expect(fields.first { $0.path == "timeRemaining" }?.form == "number, seconds")
    #expect(fields.first { $0.path == "contentLength" }?.form == "integer, bytes")
  }
}
