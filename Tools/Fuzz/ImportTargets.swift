import Foundation
import LedgerEvents
import StoreImport

/// Imports of what nobody signed: notifications of version 1, RevenueCat's webhooks and exports,
/// and tables with their maps. Whatever the bytes are, their events are right, and reading them
/// again gives the same ones.
extension Target {
  static func unsignedImports(_ samples: Samples) throws -> [Target] {
    func sample(_ name: String) throws -> [UInt8] { try samples.file("Tools/samples/" + name) }
    let table = try sample("sample-table.csv")
    let map = try sample("sample-table-map.json")
    let known = try TableMap(map, fileName: "map.json")
    let secrets = SharedSecrets([Array("an invented secret".utf8)])
    return [
      imports("notification-v1", [try sample("sample-notifications-v1.jsonl")], json) { bytes in
        try NotificationV1Import(bytes, options: options, trust: .compared(secrets))
      },
      imports("revenuecat", [try sample("sample-revenuecat.jsonl")], json) { bytes in
        try RevenueCatImport(bytes, isExport: false, options: options)
      },
      imports("revenuecat-export", [try sample("sample-revenuecat.csv")], tables) { bytes in
        try RevenueCatImport(bytes, isExport: true, options: options)
      },
      imports("csv", [table], tables) { bytes in
        try TableImport(bytes, map: known, options: options)
      },
      imports("csv-map", [map], json) { bytes in
        try TableImport(table, map: TableMap(bytes, fileName: "map.json"), options: options)
      },
    ]
  }

  private static let options = ImportOptions(
    fileName: "fuzz", digestKey: [UInt8](repeating: 7, count: 16), account: nil,
    environment: .production, askedAt: Instant(microseconds: 1_700_000_000_000_000))

  /// Separators, quotes, ends of lines and values of tables.
  private static let tables: [[UInt8]] = [
    "\"", "\"\"", ",", ";", "\r\n", "\r", "\n", "\u{FEFF}", "\u{301}", "-", "0",
    "99999999999999999999",
    "2023-02-30 00:00:00", "true", "null", "\t",
  ].map { Array($0.utf8) }

  private static func imports(
    _ name: String, _ samples: [[UInt8]], _ tokens: [[UInt8]],
    _ read: @escaping ([UInt8]) throws -> any PurchaseImport
  ) -> Target {
    Target(name, samples, tokens: tokens, inputsPerRound: 20) { bytes in
      do {
        let events = try read(bytes).outcome([:], recordsClaims: false).events
        for event in events { try event.validate() }
        let again = try read(bytes).outcome([:], recordsClaims: false).events
        try Broken.unless(events.map(\.id) == again.map(\.id), "other ids for the same bytes")
        try Broken.unless(Set(events.map(\.id)).count == events.count, "an id twice")
        return !events.isEmpty
      } catch let error as ImportError {
        try Broken.unless(!error.reason.isEmpty && !error.remedy.isEmpty, "an error without words")
        return false
      }
    }
  }
}
