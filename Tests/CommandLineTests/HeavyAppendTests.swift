import Foundation
import Testing

/// Appends of more than one batch can hold.
@Suite("append, of large events") struct HeavyAppendTests {
  @Test("splits what is too large for one batch, and refuses no event for it") func split() throws {
    let ledger = try TestLedger()
    let input = ledger.folder.path("large.jsonl")
    // 160 MB in 4,000 lines: fewer events than a batch may have, and more bytes.
    let text = String(repeating: "0123456789", count: 4_000)
    let count = 4_000
    try #require(FileManager.default.createFile(atPath: input, contents: nil))
    let file = try FileHandle(forWritingTo: URL(filePath: input))
    for number in 0..<count {
      let line =
        #"{"id":"n\#(number)","type":"note.added","occurredAt":"2026-01-01T00:00:00Z","#
        + #""account":"ada","data":{"text":"\#(text)"}}"# + "\n"
      try file.write(contentsOf: Data(line.utf8))
    }
    try file.close()
    let answer = try ledger.run("append", input)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.output.contains("appended \(count)"))
    #expect(try ledger.run("append", input).output.contains("duplicates \(count)"))
  }
}
