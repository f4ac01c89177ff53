import Foundation
import Testing

/// One question, as an address and as words of the command line.
struct TwiceAsked {
  let address: String
  let words: [String]
  /// Whether the answer is a list, which is compared line by line.
  var isList = false
  /// Whether the answer has something, so that nothing is not compared with nothing.
  var hasContent = false
  /// The part of what the command line prints that the answer has; nil for all.
  var part: (@Sendable (String) -> String)?

  /// The moment of a question about the present is another one each time.
  static func timeless(_ text: String) -> String {
    text.replacing(/"at":"[^"]*"/, with: "\"at\":now")
  }

  func expectSame(
    _ bench: ServiceBench, _ clocks: Clocks, seed: UInt64, form: String? = nil
  ) async throws {
    let form = form ?? (isList ? "jsonl" : "json")
    let isQuestion = address.contains("?")
    let query = clocks.query + ["format=\(form)"] + (isList ? ["limit=10000"] : [])
    let asked = address + (isQuestion ? "&" : "?") + query.joined(separator: "&")
    let reply = try await bench.get(asked)
    let said = words + clocks.words + ["--ledger", bench.path, "--format", form]
    let printed = try BuiltProgram.run("daybook", said)
    #expect(printed.status == 0, "\(printed.errors) of \(said)")
    #expect(reply.status == 200, "\(reply.body) of \(asked)")
    #expect(!hasContent || !reply.body.isEmpty, "\(asked) has no answer")
    let output = part?(printed.output) ?? printed.output
    let (answered, printedText) = (Self.timeless(reply.body), Self.timeless(output))
    let isSame = answered == printedText
    let common = zip(answered, printedText).prefix { $0 == $1 }.count
    #expect(
      isSame,
      """
      Seed \(seed), \(asked):
      \(answered.dropFirst(max(0, common - 100)).prefix(600))
      daybook \(said.joined(separator: " ")):
      \(printedText.dropFirst(max(0, common - 100)).prefix(600))
      """)
  }

  /// The clocks of a question, in both spellings.
  struct Clocks {
    var query: [String] = []
    var words: [String] = []
  }
}
