import Testing

/// `daybook types` and `daybook rules`, as users run them.
@Suite("Types and rules") struct ReferenceCommandTests {
  @Test("a type is shown with its fields and an example") func type() throws {
    let answer = try Program.run(["types", "consumable.consumed"])
    #expect(answer.status == 0)
    #expect(answer.lines[0] == "consumable.consumed")
    #expect(answer.output.contains("needs: account, data.unit, data.amount\n"))
    #expect(answer.output.contains("\namount (needed)  integer from 1"))
    let example = try #require(answer.lines.last)
    let ledger = try TestLedger()
    #expect(try ledger.run(["append", "-"], input: example).status == 0)
  }

  @Test("a rule is shown with its condition and an incident that breaks it") func rule() throws {
    let answer = try Program.run(["rules", "never-finished"])
    #expect(answer.lines[0] == "never-finished")
    #expect(answer.lines[1] == "warning, judged at a moment, once per transaction")
    #expect(answer.output.contains("--threshold never-finished="))
    let command = try #require(answer.lines.first { $0.hasPrefix("Try it: daybook ") })
    let words = command.dropFirst("Try it: daybook ".count).split(separator: " ").map(String.init)
    let replay = try Program.run(words)
    #expect(replay.status == 0)
    #expect(replay.output.contains("never-finished"))
  }

  @Test(
    "a misspelled name is refused with the nearest one",
    arguments: [
      ("types transaction.purchsed", "did you mean transaction.purchased?"),
      ("types Download.progressed", "did you mean download.progressed?"),
      ("rules finished-before-instal", "did you mean finished-before-install?"),
      ("rules undeliverd", "did you mean undelivered?"),
    ]) func misspelled(command: String, hint: String) throws
  {
    let answer = try Program.run(command.split(separator: " ").map(String.init))
    #expect(answer.status == 64)
    #expect(answer.output == "")
    #expect(answer.errors.contains(hint), "\(answer.errors)")
  }

  @Test("a name that is near to nothing is refused without a guess", arguments: ["types", "rules"])
  func unknown(command: String) throws {
    let answer = try Program.run([command, "something.else"])
    #expect(answer.status == 64)
    #expect(!answer.errors.contains("did you mean"))
    #expect(answer.errors.contains("`daybook \(command)` lists them all"))
  }

  @Test("the envelope is not of one type") func envelope() throws {
    #expect(try Program.run(["types", "--envelope"]).output.contains("originalTransaction"))
    #expect(try Program.run(["types", "note.added", "--envelope"]).status == 64)
  }
}
