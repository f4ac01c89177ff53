import ArgumentParser
import Audit
import LedgerAnswers
import LedgerEvents

/// The witnesses that must have cosigned a checkpoint.
struct WitnessOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A witness that you trust to have cosigned: its verifier key, or the file of its key "
        + "(repeatable).", valueName: "key|file"))
  var witness: [String] = []

  @Option(
    help: ArgumentHelp(
      "How many of the witnesses must have cosigned (default: all).", valueName: "number"))
  var require: Int?

  func validate() throws {
    guard require == nil || !witness.isEmpty else {
      throw ValidationError("--require needs --witness.")
    }
    guard require.map({ $0 >= 1 }) ?? true else {
      throw ValidationError("--require: expected a number from 1.")
    }
  }

  /// The rule; nil where no witness is named.
  ///
  /// - Throws: `InputProblem`: exit 65 where more are required than there are, 66 where there is no
  ///   such file.
  func policy() throws -> WitnessPolicy? {
    if witness.isEmpty { return nil }
    let keys = try KeyFile.verifiers(witness, of: .witness)
    return try proving { () throws(ProofError) in try WitnessPolicy(keys, required: require) }
  }
}

extension WitnessPolicy.Finding {
  var lines: [String] {
    standings.map { witness, standing in
      let name = witness.nameAndIdentifier.printable
      return switch standing {
      case .cosigned(let time): "cosigned by \(name) at \(Cosignature.text(time))"
      case .missing: "not cosigned by \(name)"
      case .undated: "cosigned by \(name), which states no time, so it does not count"
      case .future(let time):
        "cosigned by \(name) at \(Cosignature.text(time)), which is in the future, so it does not "
          + "count"
      }
    }
  }

  func write(to json: inout JSONText) {
    json.member("required", required)
    json.member("witnesses", each: standings) { json, member in
      json.object { json in
        json.member("verifierKey", member.witness.text)
        json.member("counts", member.standing.counts)
        json.member("time", Self.time(of: member.standing).map(Cosignature.text))
      }
    }
  }

  private static func time(of standing: WitnessPolicy.Standing) -> UInt64? {
    switch standing {
    case .cosigned(let time), .future(let time): time
    case .missing, .undated: nil
    }
  }
}
