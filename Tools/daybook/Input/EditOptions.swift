import ArgumentParser
import Foundation
import LedgerEvents
import Replay

/// Changes to the events of a replay, made in their order on the command line.
struct EditOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("What if the event had never happened? Repeatable.", valueName: "position"),
    transform: Parse.position)
  var drop: [UInt64] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "What if it had happened right after another event (0: before all)? Repeatable.",
      valueName: "position after position"))
  var move: [String] = []

  @Option(
    name: .customLong("repeat"),
    help: ArgumentHelp(
      "What if it had happened twice? Repeatable.", valueName: "position"),
    transform: Parse.position)
  var repeats: [UInt64] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "What if a file's events had happened, after another one or at their own times? Repeatable.",
      valueName: "file [after position]"))
  var insert: [String] = []

  var isEmpty: Bool { drop.isEmpty && move.isEmpty && repeats.isEmpty && insert.isEmpty }

  func validate() throws {
    _ = try moves()
    _ = try inserts()
  }

  /// Returns the edits, in their order on the command line. This reads the files that they name.
  func edits(_ arguments: [String] = CommandLine.arguments) throws -> [ReplayEdit] {
    var drops = drop[...]
    var moves = try moves()[...]
    var repeats = self.repeats[...]
    var inserts = try inserts()[...]
    var edits: [ReplayEdit] = []
    for argument in arguments {
      switch argument.prefix(while: { $0 != "=" }) {
      case "--drop": if let position = drops.popFirst() { edits.append(.drop(position)) }
      case "--repeat": if let position = repeats.popFirst() { edits.append(.repeat(position)) }
      case "--move":
        for move in moves.prefix(1) { edits.append(.move(move.position, after: move.other)) }
        moves = moves.dropFirst()
      case "--insert":
        for insert in inserts.prefix(1) {
          let events = try ReplaySource.inputs(insert.file)
          edits.append(.insert(events, after: insert.other))
        }
        inserts = inserts.dropFirst()
      default: break
      }
    }
    return edits
  }

  private func moves() throws -> [(position: UInt64, other: UInt64)] {
    var moves: [(position: UInt64, other: UInt64)] = []
    var words = move[...]
    while !words.isEmpty {
      let three = Array(words.prefix(3))
      words = words.dropFirst(3)
      guard three.count == 3, three[1] == "after", let position = UInt64(three[0]), position > 0,
        let other = UInt64(three[2])
      else {
        throw ValidationError(
          "--move takes three words, such as --move 12 after 20, not \(quoted(three)); name the "
            + "source before it.")
      }
      moves.append((position, other))
    }
    return moves
  }

  private func inserts() throws -> [(file: String, other: UInt64?)] {
    var inserts: [(file: String, other: UInt64?)] = []
    var words = insert[...]
    while let file = words.popFirst() {
      guard words.first == "after" else {
        inserts.append((file, nil))
        continue
      }
      guard let other = words.dropFirst().first.flatMap({ UInt64($0) }) else {
        throw ValidationError(
          "--insert takes a file and where its events go, such as --insert extra.jsonl after 20.")
      }
      inserts.append((file, other))
      words = words.dropFirst(2)
    }
    return inserts
  }

  private func quoted(_ words: [String]) -> String { "“\(words.joined(separator: " "))”" }
}
