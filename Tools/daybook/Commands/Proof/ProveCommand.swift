import ArgumentParser
import Audit
import LedgerAnswers
import LedgerEvents
import LedgerStore

struct ProveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prove",
    abstract: "Proves that an event is in the ledger, or that the ledger was only appended to.",
    discussion: """
      Writes a proof that anybody can check without the ledger (`daybook check`). For one event, \
      by its position or id, it is a c2sp.org/tlog-proof@v1 file that contains the event. With \
      --from and --to it proves that nothing up to the first position was changed or removed by \
      the second. The proof is recorded in the ledger, after what it proves. Example:

        daybook prove 15 --key /media/safe/shop.key --out 15.tlog-proof
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The event: its position, or its id unless that is a number.")
  var event: String?

  @Option(help: "The event's id, if it looks like a position.", transform: Parse.name)
  var id: Name?

  @Option(
    help: ArgumentHelp(
      "Prove it in the tree over the events up to here (default: all).", valueName: "position"),
    transform: Parse.position)
  var size: UInt64?

  @Option(
    help: ArgumentHelp("Prove that nothing changed from here …", valueName: "position"),
    transform: Parse.position)
  var from: UInt64?

  @Option(
    help: ArgumentHelp("… to here (default: the end).", valueName: "position"),
    transform: Parse.position)
  var to: UInt64?

  @Option(
    help: ArgumentHelp(
      "Leave out what identifies people: all, or fields such as account,device,reason; the proof "
        + "shows that they exist, but not their values.", valueName: "all|fields"),
    transform: Withholding.init(argument:))
  var withhold: Withholding = .nothing

  @OptionGroup var signing: SigningOptions
  @OptionGroup var actor: ActorOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    let subjects = [event != nil, id != nil, from != nil].count { $0 }
    guard subjects == 1 else {
      throw ValidationError("name one of: an event's position or id, --id, --from.")
    }
    if let event, UInt64(event) == 0 {
      throw ValidationError(
        "expected a position, a whole number from 1, or an id; one that looks like a number goes "
          + "with --id.")
    }
    try Parse.refuseTurned(from: from, to: to)
    guard from != nil || to == nil else { throw ValidationError("--to needs --from.") }
    guard from == nil || withhold.isNothing else {
      throw ValidationError("--withhold is for the proof of an event.")
    }
    guard from == nil || size == nil else {
      throw ValidationError("--size is for the proof of an event: use --to instead.")
    }
  }

  func run() throws {
    try answering {
      let key = try signing.signer.signer()
      let ledger = try actor.open(options)
      let output = try signing.output(options)
      defer { output?.discard() }
      if let from { return try proveConsistency(from: from, with: key, ledger, to: output) }
      try proveEvent(at: try position(in: ledger), with: key, ledger, to: output)
    }
  }

  private func position(in ledger: Ledger) throws -> UInt64 {
    if let event, let position = UInt64(event) { return position }
    let name = id ?? Name(event ?? "")
    let found = try ledger.read { (view) throws(LedgerError) in try view.event(withID: name) }
    guard let found else {
      throw InputProblem("the ledger has no event with the id \(name.text.printable).")
    }
    return found.position
  }

  private func proveEvent(
    at position: UInt64, with key: any NoteSigning, _ ledger: Ledger, to output: OutputFile?
  ) throws {
    let evidence = try ledger.log.read { (view) throws(LedgerError) in
      try view.evidence(of: position, at: size ?? view.lastPosition, withholding: withhold)
    }
    let proof = try proving { () throws(ProofError) in
      EventProofFile(
        extra: evidence.extra, inclusion: evidence.inclusion,
        checkpoint: try .sign(size: evidence.inclusion.size, root: evidence.root, with: key))
    }
    try actor.record(
      action: "proved",
      detail: [(name: "event", value: .number("\(position)"))]
        + proof.checkpoint.detail(signedWith: key.verifier), in: ledger)
    try signing.document.write(proof.document, to: output, format) { json in
      json.member("origin", proof.checkpoint.origin.text)
      json.member("event", position)
      json.member("position", proof.checkpoint.size)
      json.member("root", proof.checkpoint.rootText)
      json.member("verifierKey", key.verifier.text)
      json.member("proof", proof.document)
    }
  }

  private func proveConsistency(
    from: UInt64, with key: any NoteSigning, _ ledger: Ledger, to output: OutputFile?
  ) throws {
    let (consistency, old, new) = try ledger.log.read { (view) throws(LedgerError) in
      let end = to ?? view.lastPosition
      let proof = try view.consistencyProof(from: from, to: end)
      return (proof, try view.root(at: from), try view.root(at: end))
    }
    let proof = try proving { () throws(ProofError) in
      ConsistencyProofFile(
        consistency: consistency,
        old: try .sign(size: consistency.oldSize, root: old, with: key),
        new: try .sign(size: consistency.newSize, root: new, with: key))
    }
    try actor.record(
      action: "proved",
      detail: [(name: "from", value: .number("\(from)"))]
        + proof.new.detail(signedWith: key.verifier), in: ledger)
    try signing.document.write(proof.document, to: output, format) { json in
      json.member("origin", proof.new.origin.text)
      json.member("from", proof.old.size)
      json.member("to", proof.new.size)
      json.member("oldRoot", proof.old.rootText)
      json.member("root", proof.new.rootText)
      json.member("verifierKey", key.verifier.text)
      json.member("proof", proof.document)
    }
  }
}

extension Withholding {
  fileprivate var isNothing: Bool { if case .nothing = self { true } else { false } }

  /// `all`, or names of fields, separated by commas.
  fileprivate init(argument: String) throws {
    if argument == "all" {
      self = .everything
      return
    }
    let fields = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard !fields.contains("") else {
      throw ValidationError("expected all, or fields separated by commas: account,reason.")
    }
    self = .fields(fields.map { Name($0) })
  }
}
