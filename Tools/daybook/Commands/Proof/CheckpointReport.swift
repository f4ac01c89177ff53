import ArgumentParser
import Audit
import LedgerAnswers
import LedgerEvents
import LedgerStore

/// The checkpoints for `verify`, and the keys whose signatures count.
struct CheckpointOptions: ParsableArguments {
  @Option(
    name: .customLong("checkpoint"),
    help: ArgumentHelp(
      "A signed checkpoint, or a proof that ends with one: check that the ledger still begins "
        + "with what was signed (repeatable; several locate a change more exactly).",
      valueName: "file"))
  var files: [String] = []

  @Option(
    help: ArgumentHelp(
      "A key that you trust: a verifier key, or the file of a key (repeatable).",
      valueName: "key|file"))
  var key: [String] = []

  @OptionGroup var witnesses: WitnessOptions

  func validate() throws {
    guard files.isEmpty == key.isEmpty else {
      throw ValidationError("--checkpoint and --key go together.")
    }
    guard witnesses.witness.isEmpty || !files.isEmpty else {
      throw ValidationError("--witness needs --checkpoint.")
    }
  }

  /// The checkpoints, each signed by one of the keys and cosigned by enough witnesses.
  ///
  /// - Throws: `InputProblem`: exit 1 if one is not signed, 65 or 66 if it cannot be read.
  func checkpoints() throws -> [SignedCheckpoint] {
    let keys = try KeyFile.verifiers(key)
    let policy = try witnesses.policy()
    return try files.map { file in
      let checkpoint = try ProofInput.checkpoint(file)
      try proving(file) { () throws(ProofError) in
        _ = try checkpoint.signers(of: keys)
        try policy?.check(checkpoint, signedBy: keys, now: EventLog.systemClock())
      }
      return checkpoint
    }
  }
}

/// What checkpoints say about a ledger, in words and as JSON.
struct CheckpointReport {
  let files: [String]
  let checkpoints: [SignedCheckpoint]
  let kept: KeptCheckpoints

  var lines: [String] {
    zip(zip(files, checkpoints), kept.verdicts).map { named, verdict in
      "\(named.0): \(words(named.1, verdict))".printable
    } + [conclusion]
  }

  private func words(_ checkpoint: SignedCheckpoint, _ verdict: KeptCheckpoints.Verdict) -> String {
    let (size, end) = (checkpoint.size, kept.lastPosition)
    return switch verdict {
    case .fits:
      "the ledger begins with the \(size.counted("event")) that \(checkpoint.origin.text) signed"
    case .differs: "the ledger does not begin with the \(size.counted("event")) that were signed"
    case .isBeyondEnd:
      "the ledger ends at position \(end), and \(size.counted("event was", "events were")) signed: "
        + "at least \((size - end).counted("is", "are")) missing from its end"
    case .isUnreadable: "the ledger cannot be read as far as position \(size)"
    }
  }

  /// What they say together.
  private var conclusion: String {
    if kept.allFit { return "the ledger extends everything that was signed" }
    if kept.isContradictory {
      return
        "a newer checkpoint fits and an older one does not: two ledgers were signed with the key"
    }
    guard let range = kept.changedRange else { return "" }
    let behind =
      range.lowerBound == 1
      ? "" : "the first \(range.lowerBound - 1) events are as they were signed; "
    if range.upperBound > kept.lastPosition, range.lowerBound > kept.lastPosition {
      return behind + "the events after them are missing"
    }
    return behind
      + "the first change is between the positions \(range.lowerBound) and "
      + "\(min(range.upperBound, kept.lastPosition + 1)): a root shows that something differs, but "
      + "not where; checkpoints of positions in between would locate it more exactly"
  }

  func write(to json: inout JSONText) {
    json.member(
      "checkpoints",
      array: { json in
        for (named, verdict) in zip(zip(files, checkpoints), kept.verdicts) {
          json.object { json in
            json.member("file", named.0)
            json.member("origin", named.1.origin.text)
            json.member("position", named.1.size)
            json.member("signedRoot", named.1.rootText)
            json.member("fits", verdict == .fits)
            json.member("message", words(named.1, verdict))
          }
        }
      })
    json.key("changed")
    if let range = kept.changedRange {
      json.object { json in
        json.member("from", range.lowerBound)
        json.member("to", range.upperBound)
      }
    } else {
      json.raw(nil)
    }
    json.member("conclusion", conclusion)
  }
}
