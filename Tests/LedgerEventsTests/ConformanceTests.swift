import LedgerEvents
import Testing

@Suite("The shared events", .enabled(if: SharedMaterial.isThere, "../shared is not there"))
struct ConformanceTests {
  @Test("every recorded event comes back with its content") func everyRecorded() throws {
    var count = 0
    for line in try SharedMaterial.traceLines() + SharedMaterial.historyLines() {
      let input = try EventDecoder().decode(line: line)
      try input.event.validate()
      let again = try EventDecoder().decode(line: EventEncoder().encode(input.event))
      #expect(again.event.sameContent(as: input.event))
      count += 1
    }
    #expect(count > 16_000)
  }
}
