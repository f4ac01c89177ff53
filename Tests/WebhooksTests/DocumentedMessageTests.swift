import Foundation
import LedgerEvents
import LedgerHistories
import Testing

@testable import Webhooks

@Suite("The message that the documentation shows") struct DocumentedMessageTests {
  /// The names of the members, of those inside and of the elements of lists, in order.
  private static func shape(_ value: JSONValue) -> String {
    switch value {
    case .object(let members):
      "{" + members.map { "\($0.name):\(shape($0.value))" }.joined(separator: ",") + "}"
    case .array(let elements): "[" + (elements.first.map(shape) ?? "") + "]"
    case .string: "text"
    case .number: "number"
    case .boolean: "flag"
    }
  }

  @Test("has the members that a message has") func members() throws {
    let root = try #require(packageRoot())
    let page = try String(
      contentsOf: root.appending(path: "docs/webhooks.md"), encoding: .utf8)
    let block = try #require(page.firstMatch(of: /```json\n([^`]*)```/)).output.1
    let shown = try JSONValue(document: Array(block.utf8), nulls: .leftOut)
    let bench = try TellingBench()
    try bench.append(
      Line.catalog("c", "monthly", "autoRenewable", ",\"entitlements\":[\"premium\"]"))
    try bench.hook()
    try bench.append(
      Line.purchase(
        "1", of: "reader-1", "monthly", data: "\"expiresAt\":\"2024-04-01T08:59:58Z\""))
    let told = try #require(try bench.told().first)
    let sent = try JSONValue(document: Array(told.body.utf8), nulls: .leftOut)
    #expect(Self.shape(shown) == Self.shape(sent))
  }
}
