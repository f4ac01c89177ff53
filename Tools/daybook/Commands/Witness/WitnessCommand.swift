import ArgumentParser

struct WitnessCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "witness",
    abstract: "Cosigns checkpoints, and has them cosigned.",
    discussion: """
      A witness cosigns a checkpoint if it extends the last one that it cosigned. Whoever requires \
      cosignatures (`daybook check --witness`) can be sure that the ledger shows everybody the \
      same history. The ledger's side writes a request, the witness answers it, and the ledger's \
      side adds the answer to the checkpoint. The formats are those of c2sp.org/tlog-witness and \
      c2sp.org/tlog-cosignature. Example:

        daybook witness request monday.checkpoint --old 30 --out monday.request
        daybook witness cosign monday.request --key w1.key --log books.example.com/shop+7c2a…+AWl… \
      --state w1.checkpoints --out monday.w1
        daybook witness add monday.checkpoint monday.w1 --witness w1.example.org+9f3c…+BDk…
      """,
    subcommands: [WitnessAsk.self, WitnessCosign.self, WitnessAdd.self])
}
