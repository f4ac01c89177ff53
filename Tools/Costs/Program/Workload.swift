import Entitlements
import EventMix
import Foundation
import LMDB
import LedgerEvents
import LedgerModel
import LedgerStore
import StoreImport

/// Work whose cost is counted. It is the same each time, so that two runs of different length
/// differ by the cost of what is done more often, and by nothing else.
enum Workload: String, CaseIterable {
  /// Events made.
  case make
  /// Lines of JSON decoded into events.
  case decode
  /// Events appended, a thousand a call, without folding.
  case append
  /// Events appended, one a call, without folding.
  case single
  /// Events of the log folded into new projections.
  case fold
  /// The same, if thousands of customers share one device and so are folded as one unit, with what
  /// their appends cost more than those of `append`.
  case device
  /// Events appended and folded that are all about the downloads of one transaction.
  case downloads
  /// Records read in place, each with its checksum.
  case scan
  /// Answers whether a customer may have a product, everything folded.
  case lookup
  /// Decoded notifications of the App Store Server turned into events, of one file.
  case notification

  /// How often the work is done in the shorter run; in the longer one it is twice as often. Enough
  /// that buffers which grow by doubling are not what is counted.
  var count: Int {
    switch self {
    case .make, .decode, .append, .fold: 8_000
    // What grows with the customers of the device, or with the downloads, would hide in fewer.
    case .device, .downloads: 16_000
    case .single, .notification: 1_000
    // The ledger that is read costs far more than a read, and not the same each time.
    case .scan, .lookup: 40_000
    }
  }

  /// What the work needs before it, which is not counted.
  var preparation: Workload? {
    switch self {
    case .append, .single: .make
    case .fold, .device: .append
    case .make, .decode, .downloads, .scan, .lookup, .notification: nil
    }
  }

  private static let batchEvents = 1_000
  /// How many customers the events are about.
  private static let accounts: UInt64 = 500
  /// How many customers share a device.
  private static let deviceAccounts: UInt64 = 5_000

  /// Does the work `count` times.
  func run(_ count: Int) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "daybook-costs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch {
        print("left \(folder.path): \(error)")
      }
    }
    let path = folder.appending(path: "ledger").path
    switch self {
    case .make: make(count)
    case .decode: try decode(count)
    case .append: try append(count, batch: Self.batchEvents, at: path)
    case .single: try append(count, batch: 1, at: path)
    case .fold:
      let ledger = try append(count, batch: Self.batchEvents, at: path)
      try ledger.fold()
    case .device:
      let shape = MixShape(
        accounts: Self.deviceAccounts, activity: .oneDevice, progressAPurchase: 0)
      let ledger = try append(count, batch: Self.batchEvents, of: Mix(shape: shape), at: path)
      try ledger.fold()
    case .downloads:
      let ledger = try append(count, batch: Self.batchEvents, at: path) {
        $0.map(Self.downloadEvent)
      }
      try ledger.fold()
    case .scan: try scan(count, at: path)
    case .lookup: try look(count, at: path)
    case .notification: try importNotifications(count)
    }
  }

  private func make(_ count: Int) {
    var mix = Mix(accounts: Self.accounts)
    for start in stride(from: 0, to: count, by: Self.batchEvents) {
      _ = mix.next(min(Self.batchEvents, count - start))
    }
  }

  private func decode(_ count: Int) throws {
    var mix = Mix(accounts: Self.accounts)
    let encoder = EventEncoder()
    let lines = mix.next(Self.batchEvents).map { input in
      var line: [UInt8] = []
      encoder.append(input, to: &line)
      return line
    }
    let decoder = EventDecoder()
    for index in 0..<count { _ = try decoder.decode(line: lines[index % lines.count]) }
  }

  @discardableResult
  private func append(
    _ count: Int, batch: Int, of mix: Mix = Mix(accounts: Self.accounts), at path: String
  ) throws -> Ledger {
    var mix = mix
    return try append(count, batch: batch, at: path) { mix.next($0.count) }
  }

  /// Appends events to a new ledger.
  ///
  /// - Parameter events: Makes those with these numbers.
  private func append(
    _ count: Int, batch: Int, at path: String, _ events: (Range<Int>) -> [EventInput]
  ) throws -> Ledger {
    // A tool that counts instructions cannot reserve the usual terabyte.
    let ledger = try Ledger.create(at: path, options: Environment.Options(mapSize: 1 << 30))
    ledger.foldsOnlyWhenCalled()
    // As builds without checks store it.
    ledger.useLayout(.standard)
    for start in stride(from: 0, to: count, by: batch) {
      try ledger.appendAndWait(
        events(start..<min(start + batch, count)), options: AppendOptions(validates: false))
    }
    return ledger
  }

  /// An event of one transaction's downloads, each of which is requested, finished and installed.
  private static func downloadEvent(_ index: Int) -> EventInput {
    let kinds: [EventKind] = [.downloadRequested, .downloadFinished, .contentInstalled]
    let (download, step) = index.quotientAndRemainder(dividingBy: kinds.count)
    var event = Event(
      id: Name("downloads-\(index)"), type: EventType(kinds[step]),
      occurredAt: Instant(microseconds: Int64(index) * Instant.second),
      account: Mix.account(1))
    event.device = "phone"
    event.transaction = "2000000001"
    event.product = "example.trailmaps.region.r1"
    event.download = Name("part-\(download)")
    var data = EventData.Builder()
    if kinds[step] == .contentInstalled { data.set("contentVersion", "1.0") }
    event.data = data.build()
    return EventInput(event: event)
  }

  private func scan(_ count: Int, at path: String) throws {
    let stored = 4_000
    let ledger = try append(stored, batch: Self.batchEvents, at: path)
    var sum: UInt64 = 0
    for _ in 0..<count / stored {
      sum &+= try ledger.log.read { (view) throws(LedgerError) in
        var sum: UInt64 = 0
        var cursor = try view.records(in: 1...view.lastPosition)
        while try cursor.next() { sum &+= UInt64(try cursor.record().kind.rawValue) }
        return sum
      }
    }
    guard sum > 0 else { throw Failure("the scan saw nothing") }
  }

  private func look(_ count: Int, at path: String) throws {
    let accounts: UInt64 = 40
    let ledger = try append(
      8_000, batch: Self.batchEvents, of: Mix(accounts: accounts), at: path)
    try ledger.fold()
    let entitlements = Entitlements(ledger: ledger)
    let items = (1...200).map { Item.product("example.trailmaps.region.r\($0)") }
    // Those who have bought something: another account is looked for in the index of names, too.
    let texts = (0..<accounts).map { Mix.account($0).text }
      .filter { entitlements.isEntitled($0, to: items[0]).detail != nil }
    var yes = 0
    for index in 0..<count {
      let verdict = entitlements.isEntitled(
        texts[index % texts.count], to: items[index / texts.count % items.count])
      if verdict.isYes { yes += 1 }
    }
    guard yes > 0 else { throw Failure("no customer may have anything") }
  }
}

extension Workload {
  /// How many periods each customer pays.
  private static let periods = 10

  private func importNotifications(_ count: Int) throws {
    let lines = (0..<count).map(Self.notification).joined(separator: "\n")
    let options = ImportOptions(fileName: "notifications.jsonl", digestKey: Array(0..<16))
    let file = try SignedImport(
      Array(lines.utf8), as: .notification, options: options, trust: .noApp)
    let events = try file.outcome().events
    guard events.count > 2 * count else { throw Failure("\(events.count) events") }
  }

  /// A renewal, as the store writes it.
  private static func notification(_ index: Int) -> String {
    let (chain, period) = index.quotientAndRemainder(dividingBy: periods)
    let original = 480_000_900_000_000 + chain * periods
    let day = 86_400_000
    let first = 1_767_518_120_000 + chain
    let start = first + period * 30 * day
    let common =
      #""originalTransactionId":"\#(original)","productId":"com.example.tides.plus.monthly","#
      + #""signedDate":\#(start + 4_000),"environment":"Production""#
    return #"{"notificationType":"DID_RENEW","#
      + #""notificationUUID":"6f1d6c58-0c0d-4a3f-8a25-\#(100_000_000_000 + index)","#
      + #""version":"2.0","signedDate":\#(start + 6_000),"data":{"appAppleId":900000001,"#
      + #""bundleId":"com.example.tides","bundleVersion":"312","environment":"Production","#
      + #""status":1,"signedTransactionInfo":{\#(common),"bundleId":"com.example.tides","#
      + #""transactionId":"\#(original + period)","subscriptionGroupIdentifier":"21000001","#
      + #""purchaseDate":\#(start),"originalPurchaseDate":\#(first),"#
      + #""expiresDate":\#(start + 30 * day),"quantity":1,"#
      + #""type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","#
      + #""appAccountToken":"5d8c2a5e-4b1c-4c1e-9d3b-\#(200_000_000_000 + chain)","#
      + #""transactionReason":"RENEWAL","storefront":"IRL","storefrontId":"143449","#
      + #""price":2990,"currency":"EUR"},"signedRenewalInfo":{\#(common),"#
      + #""autoRenewProductId":"com.example.tides.plus.monthly","autoRenewStatus":1}}}"#
  }
}

/// A workload that did not do what it is to count.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
