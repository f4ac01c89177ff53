import LedgerEvents

/// The JSON Schema of events, generated from the vocabulary.
enum EventSchema {
  static var text: String { schema.pretty() + "\n" }

  private static var schema: JSONValue {
    [
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "$id": "https://daybook.example/schemas/event.schema.json",
      "title": "Event",
      "description": "One event of Daybook, a line of JSON Lines.",
      "$comment": .string(
        "Made from the vocabulary in Sources/LedgerEvents; write it anew with UPDATE_GOLDEN=1. "
          + "A schema cannot say everything: the decoder also refuses repeated members, integers "
          + "written as 1.0, lone surrogates, more than \(nestingDepthMax) levels, lines of more "
          + "than \(eventSizeBytesMax) bytes, and counts lengths in bytes."),
      "type": "object",
      "required": ["id", "type", "occurredAt"],
      "additionalProperties": false,
      "properties": .object(EnvelopeField.allCases.map { ($0.rawValue, envelope($0)) }),
      "allOf": .array(
        EventKind.allCases.filter { $0 != .unknown }.map { condition(Vocabulary.rule($0)) }),
      "$defs": definitions,
    ]
  }

  private static func envelope(_ field: EnvelopeField) -> JSONValue {
    switch field {
    case .id: ["type": "string", "minLength": 1, "maxLength": .number(String(eventIDBytesMax))]
    case .type:
      [
        "type": "string", "pattern": #"^[a-z][A-Za-z]*\.[a-z][A-Za-z]*$"#,
        "maxLength": .number(String(nameBytesMax)),
      ]
    case .occurredAt, .recordedAt: ["$ref": "#/$defs/envelopeTime"]
    case .environment:
      ["type": "string", "enum": .array(StoreEnvironment.allCases.map { .string($0.text) })]
    case .sequence: ["type": "integer", "minimum": 0, "maximum": .number("9223372036854775807")]
    case .position: ["type": "integer", "minimum": 1, "maximum": .number("9223372036854775807")]
    case .data: ["type": "object", "additionalProperties": ["$ref": "#/$defs/value"]]
    case .source, .app, .account, .device, .session, .payment, .product, .transaction,
      .originalTransaction, .download:
      ["$ref": "#/$defs/name"]
    }
  }

  /// Returns the condition that applies to events of the rule's type.
  private static func condition(_ rule: Vocabulary.Rule) -> JSONValue {
    var then: [JSONValue] = rule.needs.map { alternatives in
      let parts = alternatives.map(requirement)
      return parts.count == 1 ? parts[0] : ["anyOf": .array(parts)]
    }
    then.append([
      "properties": [
        "data": ["properties": .object(rule.fields.map { ($0.name, value($0.type)) })]
      ]
    ])
    return [
      "if": ["properties": ["type": ["const": .string(rule.kind.text)]]],
      "then": ["allOf": .array(then)],
    ]
  }

  private static func requirement(_ requirement: Vocabulary.Requirement) -> JSONValue {
    switch requirement {
    case .envelope(let field): ["required": [.string(field.rawValue)]]
    case .data(let name):
      ["required": ["data"], "properties": ["data": ["required": [.string(name)]]]]
    }
  }

  private static func value(_ type: Vocabulary.FieldType) -> JSONValue {
    switch type {
    case .string: ["type": "string"]
    case .name: ["$ref": "#/$defs/name"]
    case .integer(let minimum):
      [
        "type": "integer", "minimum": .number(String(minimum)),
        "maximum": .number("9223372036854775807"),
      ]
    case .number(let bounds):
      if bounds.upperBound == .infinity {
        ["type": "number"]
      } else {
        [
          "type": "number", "minimum": .number(String(Int(bounds.lowerBound))),
          "maximum": .number(String(Int(bounds.upperBound))),
        ]
      }
    case .boolean: ["type": "boolean"]
    case .time: ["$ref": "#/$defs/time"]
    case .money: ["type": "string", "pattern": #"^-?[0-9]+(\.[0-9]+)?$"#]
    case .currency: ["type": "string", "pattern": "^[A-Z]{3}$"]
    case .duration: ["$ref": "#/$defs/duration"]
    case .digits: ["type": "string", "pattern": "^[0-9]+$"]
    case .oneOf(let words): ["type": "string", "enum": .array(words.map { .string($0) })]
    case .integerOrString: ["type": ["integer", "string"]]
    case .any: ["$ref": "#/$defs/value"]
    case .error: ["$ref": "#/$defs/error"]
    case .array(let element): ["type": "array", "items": value(element)]
    case .object(let fields): object(fields)
    case .amounts:
      [
        "type": "object", "propertyNames": ["minLength": 1],
        "additionalProperties": value(.integer(minimum: .min)),
      ]
    }
  }

  private static func object(_ fields: [Vocabulary.Field]) -> JSONValue {
    var members: [(String, JSONValue)] = [("type", "object")]
    let needed = fields.filter(\.isNeeded).map { JSONValue.string($0.name) }
    if !needed.isEmpty { members.append(("required", .array(needed))) }
    members.append(("properties", .object(fields.map { ($0.name, value($0.type)) })))
    members.append(("additionalProperties", ["$ref": "#/$defs/value"]))
    return .object(members.map { (name: $0.0, value: $0.1) })
  }

  private static var definitions: JSONValue {
    let date = "-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    let clock = #"[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?"#
    let offset = "([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
    return [
      "name": ["type": "string", "minLength": 1, "maxLength": .number(String(nameBytesMax))],
      "envelopeTime": [
        "type": "string",
        "pattern": .string("^(19[67][0-9]|19[89][0-9]|[2-9][0-9]{3})\(date)\(clock)\(offset)$"),
        "description": "RFC 3339, years 1970 to 9999 in UTC, precise to the microsecond.",
      ],
      "time": ["type": "string", "pattern": .string("^[0-9]{4}\(date)\(clock)\(offset)$")],
      "duration": [
        "type": "string",
        "pattern": .string(
          "^P(?=.)([0-9]+Y)?([0-9]+M)?([0-9]+W)?([0-9]+D)?"
            + #"(T(?=.)([0-9]+H)?([0-9]+M)?([0-9]+([.,][0-9]+)?S)?)?$"#),
      ],
      "error": [
        "type": "object",
        "properties": [
          "domain": ["type": "string"], "code": value(.integer(minimum: .min)),
          "message": ["type": "string"], "underlying": ["$ref": "#/$defs/error"],
        ],
        "additionalProperties": ["$ref": "#/$defs/value"],
      ],
      "value": [
        "description": "Whatever JSON there is, without null.",
        "type": ["string", "number", "boolean", "object", "array"],
        "items": ["$ref": "#/$defs/value"],
        "additionalProperties": ["$ref": "#/$defs/value"],
      ],
    ]
  }
}
