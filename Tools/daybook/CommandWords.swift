import ArgumentParser
import Foundation
import LedgerEvents

/// The words of the command line in the order that the parser expects: the command first.
enum CommandWords {
  /// Moves options that precede the command after it: `--ledger X events` is `events --ledger X`.
  ///
  /// - Throws: `ValidationError` for a command that does not exist, with the one that was probably
  ///   meant.
  static func inOrder(_ words: [String]) throws -> [String] {
    guard let first = words.first, !isForTheProgram(first) else { return words }
    // The tree is only made if it is needed. Otherwise, every run would wait for it.
    return try afterLedger(words) ?? CommandTree.ofProgram().inOrder(words)
  }

  /// The option that every command takes, which people write before the command.
  private static let ledger = "--ledger"

  /// The words in order, if nothing but the ledger precedes a whole command.
  private static func afterLedger(_ words: [String]) -> [String]? {
    var (path, moved) = ([String](), [String]())
    var rest = words[...]
    while let word = rest.first, word == ledger || word.hasPrefix("\(ledger)=") {
      moved.append(rest.removeFirst())
      if word == ledger {
        guard let value = rest.popFirst() else { return nil }
        moved.append(value)
      }
    }
    var commands = Daybook.configuration.subcommands
    while let word = rest.first, let command = commands.first(where: { $0._commandName == word }) {
      path.append(rest.removeFirst())
      commands = command.configuration.subcommands
      if commands.isEmpty { return path + moved + rest }
    }
    return nil
  }

  /// Words that the parser accepts without a command: for help, the version and completions.
  private static func isForTheProgram(_ word: String) -> Bool {
    ["-h", "--help", "--help-hidden", "--version"].contains(word)
      || ["---completion", "--generate-completion-script", "--experimental-dump-help"]
        .contains { word.hasPrefix($0) }
  }
}

/// The commands of the program and their options, as the parser describes them.
struct CommandTree: Decodable {
  private struct Document: Decodable {
    let command: CommandTree
  }

  private struct Argument: Decodable {
    struct Spelling: Decodable {
      let kind: String
      let name: String
    }

    let kind: String
    let names: [Spelling]?
  }

  private let commandName: String
  private let subcommands: [CommandTree]?
  private let arguments: [Argument]?
  private let defaultSubcommand: String?

  static func ofProgram() throws -> CommandTree {
    do {
      _ = try Daybook.parseAsRoot(["--experimental-dump-help"])
    } catch {
      let text = Daybook.fullMessage(for: error)
      return try JSONDecoder().decode(Document.self, from: Data(text.utf8)).command
    }
    preconditionFailure("the parser answers a request for its description with an error")
  }

  func inOrder(_ words: [String]) throws -> [String] {
    if words.first == Self.help {
      try refuseUnknownTopic(words.dropFirst())
      return words
    }
    let options = spellings("option")
    var (path, moved) = ([String](), [String]())
    var rest = words[...]
    var node = self
    while let word = rest.first, word != "--" {
      if word.hasPrefix("-") {
        moved.append(rest.removeFirst())
        if options.contains(word), let value = rest.popFirst() { moved.append(value) }
      } else if let child = node.child(word) {
        path.append(rest.removeFirst())
        node = child
        if node.subcommands?.isEmpty ?? true { break }
      } else {
        try node.refuseUnknown(word, after: path)
        break
      }
    }
    guard !path.isEmpty else {
      throw ValidationError("name a command; `daybook help` lists them all.")
    }
    return path + moved + rest
  }

  private static let help = "help"

  private func child(_ name: String) -> CommandTree? {
    subcommands?.first { $0.commandName == name }
  }

  /// Every spelling of arguments of a kind, including those of subcommands.
  private func spellings(_ kind: String) -> Set<String> {
    var found: Set<String> = []
    for argument in arguments ?? [] where argument.kind == kind {
      for name in argument.names ?? [] {
        found.insert((name.kind == "long" ? "--" : "-") + name.name)
      }
    }
    return (subcommands ?? []).reduce(into: found) { $0.formUnion($1.spellings(kind)) }
  }

  private func refuseUnknownTopic(_ words: ArraySlice<String>) throws {
    var node = self
    for (index, word) in words.enumerated() where !word.hasPrefix("-") {
      guard let child = node.child(word) else {
        return try node.refuseUnknown(word, after: Array(words.prefix(index)))
      }
      node = child
    }
  }

  private func refuseUnknown(_ word: String, after path: [String]) throws {
    let names = (subcommands ?? []).map(\.commandName)
    let near = Spelling.nearest(to: word, among: names)
    // If there is a default subcommand, the word may be meant for it.
    if defaultSubcommand != nil && near == nil { return }
    let command = (path + [word]).joined(separator: " ")
    let known = (["daybook", Self.help] + path).joined(separator: " ")
    throw ValidationError(
      "there is no command \(command)".printable
        + (near.map { "; did you mean \((path + [$0]).joined(separator: " "))?" } ?? ".")
        + " `\(known)` lists them all.")
  }
}
