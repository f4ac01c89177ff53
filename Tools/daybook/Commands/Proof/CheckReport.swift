import Audit
import LedgerAnswers
import LedgerEvents
import LedgerQueries

/// What a file proves, in words and as JSON. For a file that proves nothing, there is no report.
enum CheckReport {
  case event(ProvenEvent)
  case consistency(ConsistencyProofFile, [NoteVerifier])
  case checkpoint(SignedCheckpoint, [NoteVerifier])
  case bundle(IncidentBundle, [NoteVerifier])

  /// Checks a file.
  ///
  /// - Parameter from: The checkpoint with which a proof between two positions must begin.
  static func of(
    _ document: ProofDocument, _ keys: [NoteVerifier], from: SignedCheckpoint?
  ) throws(ProofError) -> CheckReport {
    if let from { return try .consistency(document, keys, from: from) }
    switch document {
    case .event(let proof): return .event(try proof.check(keys))
    case .consistency(let proof): return .consistency(proof, try proof.check(keys))
    case .checkpoint(let checkpoint):
      return .checkpoint(checkpoint, try checkpoint.signers(of: keys))
    case .bundle(let bundle): return .bundle(bundle, try bundle.signers(of: keys))
    }
  }

  private static func consistency(
    _ document: ProofDocument, _ keys: [NoteVerifier], from: SignedCheckpoint
  ) throws(ProofError) -> CheckReport {
    guard case .consistency(let proof) = document else {
      throw ProofError(
        .malformed, "--from is for a proof between two positions, and this is not one")
    }
    let signers = try proof.check(keys)
    guard from.size == proof.old.size, from.root == proof.old.root else {
      throw ProofError(
        .notProven,
        "the proof begins at position \(proof.old.size) with the root \(proof.old.rootText), and "
          + "the checkpoint that you kept is of position \(from.size) with the root "
          + "\(from.rootText)")
    }
    return .consistency(proof, signers)
  }

  var lines: [String] {
    switch self {
    case .event(let proven):
      [
        "proven: this event is at position \(proven.position)",
        String(decoding: proven.line, as: UTF8.self).printable,
      ] + Self.under(proven.checkpoint, proven.signers) + Self.withheld(proven.withheld)
    case .consistency(let proof, let signers):
      [
        "proven: nothing up to position \(proof.old.size) was changed or removed by position "
          + "\(proof.new.size)",
        "the root at \(proof.old.size) was \(proof.old.rootText)",
      ] + Self.under(proof.new, signers)
    case .checkpoint(let checkpoint, let signers):
      ["proven: this is what was signed"] + Self.under(checkpoint, signers)
    case .bundle(let bundle, let signers):
      [
        bundle.events.events.count == 1
          ? "proven: this event is in the ledger as its record says, \(bundle.span)"
          : "proven: these \(bundle.events.events.count) events are in the ledger, each as its "
            + "record says, \(bundle.span)"
      ] + Self.under(bundle.checkpoint, signers) + [
        "stated, but not proven: "
          + bundle.events.steps.count.counted("of these events is", "of these events are")
          + " the history of \(bundle.account?.text ?? "the customer"), with none left out"
      ]
    }
  }

  private static func under(
    _ checkpoint: SignedCheckpoint, _ signers: [NoteVerifier]
  ) -> [String] {
    let names = signers.map(\.text).joined(separator: ", ")
    return [
      "of the ledger \(checkpoint.origin.text.printable), whose root at "
        + "\(checkpoint.size) is \(checkpoint.rootText)",
      "signed by \(names.printable)",
    ]
  }

  private static func withheld(_ names: [String]) -> [String] {
    guard !names.isEmpty else { return [] }
    let listed = names.joined(separator: ", ").printable
    return ["withheld or erased, so not proven: \(listed)"]
  }

  /// The checkpoint that everything is proven under.
  var checkpoint: SignedCheckpoint {
    switch self {
    case .event(let proven): proven.checkpoint
    case .consistency(let proof, _): proof.new
    case .checkpoint(let checkpoint, _): checkpoint
    case .bundle(let bundle, _): bundle.checkpoint
    }
  }

  /// The proof that leads to that checkpoint from an older one, if the file is one.
  var consistency: ConsistencyProof? {
    if case .consistency(let proof, _) = self { proof.consistency } else { nil }
  }

  func write(to json: inout JSONText) {
    json.member("proven", true)
    switch self {
    case .event(let proven):
      json.member("kind", "event")
      json.member("position", proven.position)
      json.key("event")
      json.raw(String(decoding: proven.line, as: UTF8.self))
      json.member("withheld", strings: proven.withheld)
      Self.write(proven.checkpoint, proven.signers, to: &json)
    case .consistency(let proof, let signers):
      json.member("kind", "consistency")
      json.member("from", proof.old.size)
      json.member("to", proof.new.size)
      json.member("oldRoot", proof.old.rootText)
      Self.write(proof.new, signers, to: &json)
    case .checkpoint(let checkpoint, let signers):
      json.member("kind", "checkpoint")
      Self.write(checkpoint, signers, to: &json)
    case .bundle(let bundle, let signers):
      json.member("kind", "bundle")
      json.member("account", bundle.account)
      json.member("events", bundle.events.events.count)
      json.member("steps", bundle.events.steps.count)
      json.member("firstPosition", bundle.events.events.first?.position)
      json.member("lastPosition", bundle.events.events.last?.position)
      Self.write(bundle.checkpoint, signers, to: &json)
    }
  }

  private static func write(
    _ checkpoint: SignedCheckpoint, _ signers: [NoteVerifier], to json: inout JSONText
  ) {
    json.member(
      "checkpoint",
      object: { json in
        json.member("origin", checkpoint.origin.text)
        json.member("position", checkpoint.size)
        json.member("root", checkpoint.rootText)
      })
    json.member("signers", strings: signers.map(\.text))
  }
}

extension IncidentBundle {
  /// The range of positions of its events.
  fileprivate var span: String {
    guard let first = events.events.first, let last = events.events.last else { return "nowhere" }
    return "between the positions \(first.position) and \(last.position)"
  }
}
