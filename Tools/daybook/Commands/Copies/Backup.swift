import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerStore
import PackageFiles

struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a verified copy of the log in a new folder, while the ledger is in use.",
    discussion: """
      The copy holds the log as of one commit, whatever is appended meanwhile. Every record, name \
      and node of it is verified, and the backup is recorded in the ledger, before the folder \
      gets its name. It contains no projections, which `restore` rebuilds, and no keys of \
      personal data: --keys writes these to another place, after the log. Replace that copy after \
      an erasure. --keys replaces nothing but an earlier copy, and no copy with keys that the key \
      file lacks. With --since, only what follows a position is copied: name the position that \
      the backup before ends with. With --encrypt-to or --passphrase-file, the backup and the copy \
      of the keys are encrypted in the age format, so that `age` decrypts them, too. Examples:

        daybook backup /backups/shop-2026-03-01 --keys /safe/shop.keys --operator kim
        daybook backup /backups/shop-2026-03-02 --since 48211 --keys /safe/shop.keys --operator kim
        daybook backup /backups/shop-2026-03-03 --encrypt-to age1… --operator kim
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The folder to make.")
  var destination: String

  @Option(
    help: ArgumentHelp(
      "Copies only what follows this position, with which the backup before it ends.",
      valueName: "position"))
  var since: UInt64?

  @Option(
    help:
      "Also copies the key file, over an earlier copy. Keep it in another place than the backup.")
  var keys: String?

  @OptionGroup var encrypting: EncryptionOptions

  @OptionGroup var actor: ActorOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let encryption = try encrypting.encryption()
      let ledger = try actor.open(options)
      try checkKeysPlace()
      guard try ledger.hasKeyFile() else {
        throw InputProblem(
          "the key file \(ledger.keyFile) is missing, and nothing can be recorded without it: put "
            + "it back from its backup, or copy the log and give up all personal data: `daybook "
            + "restore \(ledger.path) --without-keys --ledger NEW`.",
          exitCode: ExitStatus.noInput)
      }
      // The copy is looked at again when it is replaced. Here, nothing has been copied in vain.
      if let keys { try ledger.checkKeyCopy(at: keys) }
      let bar = ProgressBar("verifying the copy", unit: "events")
      defer { bar.end() }
      let recording = { (copy: LedgerCopy) throws(LedgerError) in
        bar.end()
        // After the log, so that every key that it needs is there, and before the copy counts.
        if let keys { try ledger.backUpKeys(to: keys, encryption: encryption) }
        try record(copy, in: ledger)
      }
      let copy =
        if let since {
          try ledger.backUp(
            since: since, to: destination, encryption: encryption, progress: bar.show,
            recording: recording)
        } else {
          try ledger.backUp(
            to: destination, encryption: encryption, progress: bar.show, recording: recording)
        }
      copy.print(format, at: destination)
      if format == .table { Console.print(keysLine(ledger)) }
    }
  }

  /// Checks, before anything is copied, that the copy of the keys takes the place of nothing but an
  /// earlier copy.
  private func checkKeysPlace() throws {
    guard let keys else { return }
    let place = OutputDestination(
      path: keys, replaces: true, ledger: options.path,
      inputs: [encrypting.passphraseFile].compactMap { $0 })
    guard let there = try place.check(), there.kind != .file else { return }
    throw InputProblem(
      "\(keys) is no file: name a file to copy the keys to.", exitCode: ExitStatus.cannotCreate)
  }

  private func record(_ copy: LedgerCopy, in ledger: Ledger) throws(LedgerError) {
    var detail: [(String, JSONValue)] = [
      ("folder", .string(destination)), ("position", .number(String(copy.position))),
      ("root", .string(copy.root.hexadecimal)),
    ]
    if let since { detail.append(("since", .number(String(since)))) }
    try actor.record(action: "backed up", detail: detail, in: ledger)
  }

  /// Says where the keys are, or that they still have to be backed up.
  private func keysLine(_ ledger: Ledger) -> String {
    if let keys { return "the keys are in \(keys.printable)" }
    let file = ledger.keyFile.printable
    return "it does not contain the keys: back up \(file) separately"
  }
}

struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a ledger from a backup.",
    discussion: """
      Copies the log of the backup, verifies it with the keys, and rebuilds the projections. The \
      new ledger is made at --ledger, where nothing may exist yet; the backup is only read. A key \
      file that is older than the backup is refused, because personal data would be lost. \
      Incremental backups follow the full one, each in its turn. If one is missing, out of \
      order or of another ledger, nothing is restored. What is encrypted is decrypted with \
      --identity and --passphrase-file; name several if the parts are encrypted differently. \
      Without its keys a ledger can still be used, but its personal data can never be decrypted \
      again. Example:

        daybook restore /backups/shop-2026-03-01 --keys /safe/shop.keys --ledger shop.daybook
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The folder of the backup.")
  var source: String

  @Argument(help: "The folders of the incremental backups since, in their order.")
  var increments: [String] = []

  @Option(help: "The copy of the ledger's key file.")
  var keys: String?

  @Flag(help: "Restore without the keys, and give up all personal data.")
  var withoutKeys = false

  @Flag(
    help: """
      With --keys: restore although the file is older than the backup, and give up the personal \
      data whose keys it lacks.
      """)
  var giveUpMissing = false

  @OptionGroup var decrypting: DecryptionOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    guard (keys != nil) != withoutKeys else {
      throw ValidationError(
        "name the key file with --keys FILE, or add --without-keys if the keys are lost.")
    }
    guard !(giveUpMissing && withoutKeys) else {
      throw ValidationError("--give-up-missing needs --keys: --without-keys gives up all keys.")
    }
  }

  func run() throws {
    try answering {
      let decryption = try decrypting.decryption()
      let bar = ProgressBar("verifying", unit: "events")
      defer { bar.end() }
      let copy = try Ledger.restore(
        source, increments: increments, to: options.path, keys: keys.map { .file($0) } ?? .none,
        decryption: decryption, givesUpMissingKeys: giveUpMissing, progress: bar.show)
      bar.end()
      copy.print(format, at: options.path)
      if copy.unproven > 0 {
        Console.complain(
          "daybook: warning: the backup has no file `root`, because it was made before backups had "
            + "one: nothing shows that names which the last "
            + "\(copy.unproven.counted("event")) brought are as they were. Compare the root with "
            + "the one that `backup` printed.")
      }
      // No advice: another copy of the key file could bring back what was erased.
      if format == .table, copy.keysMissing > 0 {
        Console.print(
          "the personal data encrypted with them cannot be decrypted: it was "
            + (withoutKeys || giveUpMissing ? "given up" : "erased since the backup, or given up"))
      }
    }
  }
}

extension LedgerCopy {
  fileprivate func print(_ format: OutputFormat, at folder: String) {
    switch format {
    case .table:
      let place = folder.printable
      Console.print("\(place): verified up to position \(position), root \(root.hexadecimal)")
      for fault in keyFaults { Console.print("key: \(fault.message.printable)") }
    case .json, .jsonl:
      var json = JSONText()
      json.object { json in
        json.member("folder", folder)
        json.member("position", position)
        json.member("root", root.hexadecimal)
        json.member("keyFaults", strings: keyFaults.map(\.message))
      }
      Console.print(json.text)
    }
  }
}
