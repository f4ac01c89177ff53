import ArgumentParser
import Foundation
import LedgerAnswers
import LedgerEvents
import ProductPages

struct StoreItemCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storeitem",
    abstract: "Finds the number by which the store shows an item's product page.",
    discussion: """
      Reads links of the store, answers of its search or lookup (JSON), and files of the partner \
      feed, and prints the Apple ID of each item with what the source says about it. A file may \
      hold links, one per line; - is standard input. The network is not used. Example:

        daybook storeitem "http://itunes.apple.com/us/app/ibooks/id364709193?mt=8"
        daybook storeitem application --format jsonl
      """)

  @Argument(help: "Links, numbers or files; - is standard input.")
  var sources: [String]

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      var printer = StoreItemPrinter(format)
      printer.begin()
      var isWhole = true
      for source in sources {
        let isFile = source == "-" || FileManager.default.fileExists(atPath: source)
        let isRead =
          isFile
          ? try Self.read(file: source, &printer) : Self.read(link: source, "", &printer)
        isWhole = isWhole && isRead
      }
      printer.end()
      if !isWhole { throw ExitStatus.badInput }
    }
  }

  /// Reads one link. If it names no item, reports that and returns `false`.
  private static func read(
    link: String, _ location: String, _ printer: inout StoreItemPrinter
  ) -> Bool {
    do throws(StoreItemError) {
      printer.add(try StoreLink.item(in: link))
      return true
    } catch {
      Console.complain("daybook: " + "\(location)\(error)".printable)
      return false
    }
  }

  private static func read(file name: String, _ printer: inout StoreItemPrinter) throws -> Bool {
    let expected = "links, an answer of the store or a partner feed"
    let source =
      name == "-"
      ? ByteSource(try .readableStandardInput(as: expected), isPipe: true)
      : ByteSource(try FileHandle(readingInput: name, as: expected), isPipe: false)
    let shown = name == "-" ? "standard input" : name
    guard let first = try source.next(until: .distantFuture) else {
      Console.complain("daybook: \(shown): is empty; expected \(expected)")
      return false
    }
    do throws(StoreItemError) {
      switch first.first(where: { !isSpace($0) }) {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let items = try StoreAnswer.items(in: try whole(first, source))
        if items.isEmpty {
          Console.complain(
            "daybook: \(shown): the store found nothing; check whether the item is sold in the "
              + "country that was asked for")
        }
        for item in items { printer.add(item) }
        return true
      case UInt8(ascii: "#"):
        try read(feed: first, source, &printer)
        return true
      default:
        return try read(links: first, source, shown, &printer)
      }
    } catch {
      Console.complain("daybook: " + "\(shown): \(error)".printable)
      return false
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func whole(
    _ first: Data, _ source: ByteSource
  ) throws(StoreItemError) -> [UInt8] {
    var bytes = [UInt8](first)
    while bytes.count <= StoreAnswer.sizeBytesMax, let more = try next(source) {
      bytes += more
    }
    return bytes
  }

  private static func read(
    feed first: Data, _ source: ByteSource, _ printer: inout StoreItemPrinter
  ) throws(StoreItemError) {
    var feed = PartnerFeed()
    var chunk: Data? = first
    while let bytes = chunk {
      for item in try feed.items(in: bytes) { printer.add(item) }
      if Console.isOutputLost { return }
      chunk = try next(source)
    }
    try feed.end()
  }

  private static func read(
    links first: Data, _ source: ByteSource, _ shown: String, _ printer: inout StoreItemPrinter
  ) throws(StoreItemError) -> Bool {
    var cutter = LineCutter()
    var isWhole = true
    var chunk: Data? = first
    while let bytes = chunk {
      chunk = try next(source)
      var lines = cutter.add(bytes)
      if chunk == nil, let last = cutter.end() { lines.append(last) }
      for line in lines {
        let text = String(decoding: line.bytes, as: UTF8.self)
        isWhole = read(link: text, "\(shown): line \(line.number): ", &printer) && isWhole
      }
    }
    return isWhole
  }

  private static func next(_ source: ByteSource) throws(StoreItemError) -> Data? {
    do { return try source.next(until: .distantFuture) } catch {
      throw StoreItemError(.malformed, "cannot be read to its end: \(error)")
    }
  }
}

/// Prints items as they come, because a feed has millions.
private struct StoreItemPrinter {
  /// How many rows get columns of the same widths; the following rows may differ.
  private static let tableRowsMax = 1000
  private static let header = ["item", "kind", "storefront", "name", "bundle", "artwork"]

  private let format: OutputFormat
  private var table = TextTable(Self.header)
  private var rows = 0
  private var items = 0

  init(_ format: OutputFormat) { self.format = format }

  func begin() {
    if format == .json { Console.print("[") }
  }

  mutating func add(_ found: FoundItem) {
    defer { items += 1 }
    guard format == .table else {
      var json = JSONText()
      json.object { json in
        json.member("item", found.item.number)
        json.member("kind", found.kind)
        json.member("storefront", found.storefront)
        json.member("name", found.name)
        json.member("bundle", found.bundle)
        json.member("artwork", found.artwork)
      }
      return Console.print((format == .json && items > 0 ? "," : "") + json.text)
    }
    table.add([
      found.item.description, found.kind ?? "-", found.storefront ?? "-", found.name ?? "-",
      found.bundle ?? "-", found.artwork ?? "-",
    ])
    rows += 1
    if rows == Self.tableRowsMax { flush() }
  }

  mutating func end() {
    if rows > 0 { flush() }
    if format == .json { Console.print("]") }
  }

  private mutating func flush() {
    table.lines.forEach(Console.print)
    table = TextTable(Self.header)
    rows = 0
  }
}
