internal import LedgerEvents
internal import LedgerStore

/// The extra data of an event's proof: the entry that the tree hashes, the event in the form of an
/// export, and what is needed to rebuild the event from the entry.
///
/// It is one JSON object on one line. None of it is trusted: the path proves the entry, the entries
/// commit to names and personal members, and the event is rebuilt from them and compared. See
/// `docs/proofs.md`.
struct EventDisclosure {
  /// A name that has a number in the record.
  struct DisclosedName {
    let number: NameNumber
    let text: Name
    /// The nonce of a name that identifies a person; nil for other names, which are in the entry as
    /// text.
    let nonce: [UInt8]?
    /// The hash that a person's name is looked up by, which the entry commits to; nil for others.
    let hash: [UInt8]?
    /// The position whose entry introduces the name.
    let introducedAt: UInt64
  }

  /// The entry of another event that introduces names.
  struct Introducer {
    let position: UInt64
    let entry: [UInt8]
    /// The path to the same root as that of the proof itself.
    let path: [TreeHash]
  }

  /// The bytes that the tree hashes.
  var entry: [UInt8]
  /// The event as one line of JSON, with position and ledger time.
  var event: [UInt8]
  var names: [DisclosedName]
  var introducers: [Introducer]
  /// The personal members, in the order of the record's commitment; empty if it has none.
  var personal: [PersonalMember]

  /// The member `format`.
  private static let format = "daybook/event@v2"
}

// MARK: - Writing

extension EventDisclosure {
  /// The document as JSON.
  var json: [UInt8] {
    JSONValue.object([
      (name: "format", value: .string(Self.format)),
      (name: "event", value: .string(String(decoding: event, as: UTF8.self))),
      (name: "entry", value: .base64(entry)),
      (name: "names", value: .array(names.map(\.value))),
      (name: "introducers", value: .array(introducers.map(\.value))),
      (name: "personal", value: .array(personal.map(\.value))),
    ]).json
  }
}

extension EventDisclosure.DisclosedName {
  fileprivate var value: JSONValue {
    var members: [(name: String, value: JSONValue)] = [
      (name: "number", value: .number("\(number)")), (name: "text", value: .string(text.text)),
      (name: "introducedAt", value: .number("\(introducedAt)")),
    ]
    if let nonce { members.append((name: "nonce", value: .base64(nonce))) }
    if let hash { members.append((name: "hash", value: .base64(hash))) }
    return .object(members)
  }
}

extension EventDisclosure.Introducer {
  fileprivate var value: JSONValue {
    .object([
      (name: "position", value: .number("\(position)")),
      (name: "entry", value: .base64(entry)),
      (name: "path", value: .array(path.map { .base64($0.bytes) })),
    ])
  }
}

// MARK: - Reading

extension EventDisclosure {
  /// Parses the document.
  ///
  /// - Throws: ``ProofError``: `malformed`, with the member of the error.
  init(_ json: [UInt8]) throws(ProofError) {
    let value: JSONValue
    do throws(EventError) { value = try JSONValue(json: json) } catch {
      throw .malformed("the extra data of the proof is not JSON: \(error)")
    }
    let document = try ProofObject(value, "extra data")
    guard try document.text("format") == Self.format else {
      throw .malformed("the extra data of the proof has a format other than \(Self.format)")
    }
    event = Array(try document.text("event").utf8)
    entry = try document.bytes("entry")
    names = []
    for name in try document.objects("names") { names.append(try DisclosedName(name)) }
    introducers = []
    for introducer in try document.objects("introducers") {
      introducers.append(try Introducer(introducer))
    }
    personal = []
    for member in try document.objects("personal") { personal.append(try PersonalMember(member)) }
    try document.end(["format", "event", "entry", "names", "introducers", "personal"])
  }
}

extension EventDisclosure.DisclosedName {
  fileprivate init(_ object: ProofObject) throws(ProofError) {
    guard let number = NameNumber(exactly: try object.number("number")) else {
      throw object.failure("number", "a number of 32 bits")
    }
    self.number = number
    text = Name(try object.text("text"))
    nonce = object.has("nonce") ? try object.bytes("nonce") : nil
    hash = object.has("hash") ? try object.bytes("hash") : nil
    introducedAt = try object.number("introducedAt")
    try object.end(["number", "text", "nonce", "hash", "introducedAt"])
  }
}

extension EventDisclosure.Introducer {
  fileprivate init(_ object: ProofObject) throws(ProofError) {
    position = try object.number("position")
    entry = try object.bytes("entry")
    var path: [TreeHash] = []
    for text in try object.texts("path") {
      guard let hash = ProofLines.hash(text) else {
        throw object.failure("path", "hashes in base64")
      }
      path.append(hash)
    }
    self.path = path
    try object.end(["position", "entry", "path"])
  }
}

extension JSONValue {
  static func base64(_ bytes: [UInt8]) -> JSONValue {
    .string(StandardBase64.encode(bytes))
  }
}

/// An object in a proof's extra data or in a bundle, with typed access to members and errors that
/// name the invalid one.
struct ProofObject {
  private let members: [(name: String, value: JSONValue)]
  private let name: String

  init(_ value: JSONValue, _ name: String) throws(ProofError) {
    guard let members = value.object else {
      throw .malformed("the proof's \(name): expected an object")
    }
    self.members = members
    self.name = name
  }

  func failure(_ name: String, _ expected: String) -> ProofError {
    .malformed("\(name) in the proof's \(self.name): expected \(expected)")
  }

  private func value(_ name: String) -> JSONValue? {
    members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  func has(_ name: String) -> Bool { value(name) != nil }

  func text(_ name: String) throws(ProofError) -> String {
    guard let text = value(name)?.string else { throw failure(name, "a text") }
    return text
  }

  func number(_ name: String) throws(ProofError) -> UInt64 {
    guard let text = value(name)?.numberText, let number = ProofLines.number(text[...]) else {
      throw failure(name, "a number")
    }
    return number
  }

  func bytes(_ name: String) throws(ProofError) -> [UInt8] {
    guard let text = value(name)?.string, let bytes = StandardBase64.decode(text) else {
      throw failure(name, "base64")
    }
    return bytes
  }

  func texts(_ name: String) throws(ProofError) -> [String] {
    guard let elements = value(name)?.array else { throw failure(name, "an array") }
    let texts = elements.compactMap(\.string)
    guard texts.count == elements.count else { throw failure(name, "an array of texts") }
    return texts
  }

  func objects(_ name: String) throws(ProofError) -> [ProofObject] {
    guard let elements = value(name)?.array else { throw failure(name, "an array") }
    var objects: [ProofObject] = []
    for element in elements { objects.append(try ProofObject(element, name)) }
    return objects
  }

  /// Checks that there are no other members, because unread data could be mistaken for proven data.
  func end(_ known: [String]) throws(ProofError) {
    for member in members where !known.contains(where: { $0.utf8.elementsEqual(member.name.utf8) })
    {
      throw .malformed(
        "the proof's \(self.name) has a member that is not known: \(member.name)")
    }
    guard Set(members.map { Name($0.name) }).count == members.count else {
      throw .malformed("the proof's \(self.name) has a member twice")
    }
  }
}
