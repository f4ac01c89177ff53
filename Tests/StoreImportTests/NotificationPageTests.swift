import Foundation
import LedgerEvents
import Testing

@testable import StoreImport

@Suite("The page about notifications", .serialized) struct NotificationPageTests {
  @Test("shows the table of the code") func table() throws {
    var rows = ["| type | subtype | events | dated by |", "| --- | --- | --- | --- |"]
    for meaning in NotificationMeaning.all.sorted(by: { Self.order($0) < Self.order($1) }) {
      let events = meaning.kinds.map { "`\($0.text)`" }.joined(separator: ", ")
      rows.append(
        "| `\(meaning.type)` | \(meaning.subtype.map { "`\($0)`" } ?? "") | \(events) | "
          + "\(meaning.occurrence.rawValue) |")
    }
    try GeneratedPart(page: "docs/notifications.md", name: "notifications").expect(rows)
  }

  @Test("shows the table of version 1") func showsTable() throws {
    var rows = ["| type | events | dated by |", "| --- | --- | --- |"]
    for meaning in NotificationV1Meaning.all {
      let events = meaning.kinds.map { "`\($0.text)`" }.joined(separator: ", ")
      rows.append("| `\(meaning.type)` | \(events) | \(meaning.occurrence.rawValue) |")
    }
    try GeneratedPart(page: "docs/notifications.md", name: "notifications of version 1").expect(
      rows)
    #expect(Set(NotificationV1Meaning.all.map(\.type)).count == 13)
  }

  private static func order(_ meaning: NotificationMeaning) -> String {
    meaning.type + " " + (meaning.subtype ?? "")
  }

  @Test("has each of the store's 23 types, and no row twice") func complete() {
    #expect(Set(NotificationMeaning.all.map(\.type)).count == 23)
    #expect(Set(NotificationMeaning.all.map(Self.order)).count == NotificationMeaning.all.count)
    for meaning in NotificationMeaning.all {
      #expect(!meaning.kinds.isEmpty && Set(meaning.kinds).count == meaning.kinds.count)
      #expect(meaning.kinds.first != .unknown)
    }
  }
}
