import ArgumentParser
import Audit
import LedgerAnswers
import LedgerEvents
import LedgerQueries
import Replay

/// Writes a customer's incident into one file: what `export --bundle` does.
struct BundleExport {
  var account: Name
  /// The range of positions of the customer's events that are its steps, inclusive on both sides.
  var from: UInt64 = 1
  var to: UInt64 = .max
  /// The names of personal members that are shown nevertheless.
  var disclosed: [Name] = []
  /// The file of the signing key; with a command that signs, the verifier key.
  var key: String
  /// How to get at the key.
  var access: KeyAccessOptions
  var file: String
  var overwrites = false

  /// Writes the bundle, and records that it was written. The record comes after the tree that the
  /// bundle's proof is about.
  ///
  /// - Throws: `InputProblem`: exit 73 if the file exists or cannot be created; `LedgerError`.
  func run(_ options: LedgerOptions, _ actor: ActorOptions, _ format: OutputFormat) throws {
    let signer = try access.signer(key)
    let ledger = try actor.open(options)
    var slice = ReplaySlice()
    slice.from = from
    slice.to = to
    try refuseUnknown(slice, ledger)
    let contents = try ledger.read { (view) throws(LedgerError) in
      try view.bundleContents(of: account, in: slice, disclosing: Set(disclosed))
    }
    let checkpoint = try proving { () throws(ProofError) in
      try contents.sign(with: signer)
    }
    let written = try OutputFile(
      OutputDestination(
        path: file, replaces: overwrites, ledger: options.path, inputs: access.inputs(key)))
    do {
      var failure: (any Error)?
      try ledger.read { (view) throws(LedgerError) in
        try view.writeBundle(contents, signed: checkpoint) { line in
          do { try written.write(line) } catch { failure = error }
          return failure == nil
        }
      }
      if let failure { throw failure }
      try actor.record(
        action: "exported", detail: detail(contents, checkpoint, signer.verifier), in: ledger)
      try written.publish()
    } catch {
      written.discard()
      throw error
    }
    report(contents, checkpoint, format)
  }

  /// Refuses names that are neither those of the vocabulary's personal members nor those of other
  /// personal members in the bundle's events: they would show nothing.
  private func refuseUnknown(_ slice: ReplaySlice, _ ledger: Ledger) throws {
    let unknown = disclosed.filter { WithheldMember(named: $0.text) == nil }
    if unknown.isEmpty { return }
    var slice = slice
    slice.account = account
    let events = try ledger.read { (view) throws(LedgerError) in try view.replayEvents(slice) }
    let own = Set(events.events.flatMap { $0.event.personalMembers.map { Name($0.name) } })
    for name in unknown where !own.contains(name) {
      let known = own.union(WithheldMember.allCases.map { Name($0.name) }).sorted()
      throw InputProblem(
        "--disclose \(name.text.printable): no event of the bundle has a personal "
          + "member of that name; expected one of: "
          + known.map(\.text).joined(separator: ", ").printable + ".",
        exitCode: ExitStatus.usage)
    }
  }

  /// What the ledger records about the bundle.
  private func detail(
    _ contents: BundleContents, _ checkpoint: SignedCheckpoint, _ key: NoteVerifier
  ) -> [(name: String, value: JSONValue)] {
    [
      (name: "format", value: .string("bundle")),
      (name: "account", value: .string(account.text)),
      (name: "file", value: .string(file)),
      (name: "events", value: .number("\(contents.eventCount)")),
      (name: "disclosed", value: .array(disclosed.map { .string($0.text) })),
    ] + checkpoint.detail(signedWith: key)
  }

  private func report(
    _ contents: BundleContents, _ checkpoint: SignedCheckpoint, _ format: OutputFormat
  ) {
    switch format {
    case .table:
      let whose = contents.account.map { " of \($0.text)" } ?? ""
      Console.print(
        "\(file): \(contents.eventCount.counted("event"))\(whose) "
          + "(\(contents.stepCount) of the customer's own), "
          + "\(contents.leafCount.counted("entry", "entries")) and "
          + "\(contents.nodeCount.counted("hash", "hashes")) under the root at \(contents.size)")
    case .json, .jsonl:
      var json = JSONText()
      json.object { json in
        json.member("file", file)
        json.member("account", contents.account)
        json.member("events", contents.eventCount)
        json.member("steps", contents.stepCount)
        json.member("entries", contents.leafCount)
        json.member("hashes", contents.nodeCount)
        json.member("origin", checkpoint.origin.text)
        json.member("position", contents.size)
        json.member("root", checkpoint.rootText)
      }
      Console.print(json.text)
    }
  }
}
