import Foundation

@testable import DaybookRecorder

/// A run of the simulated payment queue (`daybook simulate`), turned back into the callbacks and
/// calls that its events stand for. Each callback gets only what StoreKit's own objects carry: a
/// transaction knows its payment's product, quantity and account, and never the recorder's name of
/// it. Ids and the clock come from the run.
struct SimulatedRun {
  struct Line {
    var text: String
    var fields: [String: Any]
    var data: [String: Any]

    init?(_ text: String) throws {
      let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
      guard let fields = json as? [String: Any] else { return nil }
      self.text = text
      self.fields = fields
      data = fields["data"] as? [String: Any] ?? [:]
    }

    subscript(name: String) -> String? { fields[name] as? String }

    /// Whether a recorder on a device writes it, and not the server, the seller or an operator.
    var isOfDevice: Bool {
      self["device"] != nil && ["storekit1", "app"].contains(self["source"] ?? "")
    }
  }

  struct Unknown: Error { var type: String }

  let lines: [Line]

  init(_ text: String) throws {
    lines = try text.split(separator: "\n").compactMap { try Line(String($0)) }
      .filter(\.isOfDevice)
  }

  /// What the recorders of all devices write, and what they should.
  func replay() throws -> [(written: String, simulated: String)] {
    let devices = Dictionary(grouping: lines) { $0["device"] ?? "" }
    return try devices.sorted { $0.key < $1.key }.flatMap { device, lines in
      var player = DevicePlayer(device: device, quantities: quantities)
      for line in lines { try player.play(line) }
      return zip(try player.written(), Self.expected(lines)).map { ($0, $1) }
    }
  }

  /// What the recorder should write on one device: the lines of the run. Only where the store
  /// delivers a purchase after its payment failed and left the queue, the recorder knows more than
  /// the simulator says: which payment it was, if that was in the same launch.
  private static func expected(_ lines: [Line]) -> [String] {
    var failed: [String: String] = [:]
    var payments: [String: String] = [:]
    return lines.map { line in
      let product = line["product"] ?? ""
      switch line["type"] {
      case "session.started": failed = [:]
      case "transaction.removed" where line["transaction"] == nil: failed[product] = line["payment"]
      case "transaction.purchased" where line["payment"] == nil:
        guard let transaction = line["transaction"] else { break }
        if (line["originalTransaction"] ?? transaction) == transaction,
          payments[transaction] == nil
        {
          payments[transaction] = failed.removeValue(forKey: product)
        }
        guard let payment = payments[transaction] else { break }
        return line.text.replacingOccurrences(
          of: #""product":"#, with: #""payment":"\#(payment)","product":"#)
      default: break
      }
      return line.text
    }
  }

  /// What each payment's object carries for as long as it lives.
  private var quantities: [String: Int] {
    var found: [String: Int] = [:]
    for line in lines where line["type"] == "payment.added" {
      if let payment = line["payment"] { found[payment] = line.data["quantity"] as? Int }
    }
    return found
  }
}

/// One device: its spool lasts, and each launch has a recorder of its own.
private struct DevicePlayer {
  /// What the recorder gets from outside: that of the line that is played.
  struct Given: Sendable {
    var id = ""
    var time = Timestamp(microseconds: 0)
    var payment = ""
  }

  let device: String
  let quantities: [String: Int]
  let disk = MemoryDisk()
  let given = Locked(Given())
  var recorder: Recorder?
  /// The transactions' objects of this launch, by payment and by identifier.
  var objects: [String: UInt] = [:]
  var states: [UInt: QueueTransaction.State] = [:]
  var nextObject: UInt = 1

  init(device: String, quantities: [String: Int]) {
    self.device = device
    self.quantities = quantities
  }

  func written() throws -> [String] { try recorder?.spool.allLines() ?? [] }

  mutating func play(_ line: SimulatedRun.Line) throws {
    if recorder == nil || line["type"] == "session.started" { try launch(line) }
    guard let recorder else { return }
    given.withLock { given in
      given.id = line["id"] ?? ""
      given.time = time(line["occurredAt"]) ?? given.time
      given.payment = line["payment"] ?? ""
    }
    let type = line["type"] ?? ""
    if isOfWhoeverIsSignedIn(line) { recorder.account = line["account"] }
    if let call = appCall(type, line) {
      try recorder.record(app: call)
    } else if let call = queueCall(type, line) {
      try recorder.record(storeKit1: call)
    } else {
      throw SimulatedRun.Unknown(type: type)
    }
  }

  /// Events that are about no transaction: the app knows who is signed in.
  private func isOfWhoeverIsSignedIn(_ line: SimulatedRun.Line) -> Bool {
    line["transaction"] == nil && (line["payment"] == nil || line["type"] == "payment.added")
  }

  private mutating func launch(_ line: SimulatedRun.Line) throws {
    recorder = nil
    objects = [:]
    states = [:]
    var settings = RecorderSettings(app: line["app"] ?? "", device: device)
    settings.session = line["session"]
    settings.environment = line["environment"].flatMap { StoreEnvironment(storeName: $0) }
    settings.launchSource = .storekit1
    var sources = RecorderSources()
    sources.now = { [given] in given.withLock { $0.time } }
    sources.makeID = { [given] _ in given.withLock { $0.id } }
    sources.makePaymentName = { [given] in given.withLock { $0.payment } }
    recorder = Recorder(settings, spool: try Spool(folder: "/spool", files: disk), sources: sources)
  }

  // MARK: - StoreKit 1

  private mutating func queueCall(_ type: String, _ line: SimulatedRun.Line) -> QueueCall? {
    switch type {
    case "session.observerAdded": .observerAdded
    case "session.observerRemoved": .observerRemoved
    case "payments.checked": (line.data["allowed"] as? Bool).map { .paymentsChecked(allowed: $0) }
    case "payment.added": .paymentAdded(payment(line))
    case "transaction.purchasing": .updated(transaction(line, .purchasing))
    case "transaction.deferred": .updated(transaction(line, .deferred))
    case "transaction.purchased": .updated(transaction(line, .purchased))
    case "transaction.restored": .updated(transaction(line, .restored))
    case "transaction.failed": .updated(transaction(line, .failed))
    case "transaction.finished": .finish(transaction(line))
    case "transaction.removed": .removed(transaction(line))
    case "restore.requested": .restore
    case "restore.completed": .restoreFinished
    case "restore.failed": error(line).map { .restoreFailed($0) }
    case "catalog.requested": .productsRequested(line.data["requested"] as? [String] ?? [])
    case "catalog.received": .productsReceived(products(line), invalid: texts(line, "invalid"))
    case "download.requested": .startDownload(download(line, .waiting))
    case "download.pauseRequested": .pauseDownload(download(line, .active))
    case "download.resumeRequested": .resumeDownload(download(line, .paused))
    case "download.cancelRequested": .cancelDownload(download(line, .active))
    case "download.waiting": .updatedDownload(download(line, .waiting))
    case "download.progressed": .updatedDownload(download(line, .active))
    case "download.paused": .updatedDownload(download(line, .paused))
    case "download.finished": .updatedDownload(download(line, .finished))
    case "download.failed": .updatedDownload(download(line, .failed))
    case "download.cancelled": .updatedDownload(download(line, .cancelled))
    default: nil
    }
  }

  private func payment(_ line: SimulatedRun.Line) -> QueuePayment {
    let quantity = line["payment"].flatMap { quantities[$0] } ?? line.data["quantity"] as? Int
    return QueuePayment(
      product: line["product"] ?? "", quantity: quantity ?? 1, account: line["account"])
  }

  /// - Parameter state: What this callback reports; nil for the state that was reported last.
  private mutating func transaction(
    _ line: SimulatedRun.Line, _ state: QueueTransaction.State? = nil
  ) -> QueueTransaction {
    let keys = [line["transaction"], line["payment"]].compactMap { $0 }
    let known = keys.compactMap { objects[$0] }.first
    let object = known ?? nextObject
    if known == nil { nextObject += 1 }
    for key in keys { objects[key] = object }
    if let state { states[object] = state }
    // After the queue has contradicted itself (purchased, then failed), the app finishes the object
    // that it believes: its own calls alone say which one.
    let isContradicted = state == nil && states[object] == .failed && line["transaction"] != nil
    let believed = isContradicted && line["payment"] == nil ? .purchased : states[object]
    var payment = payment(line)
    if let quantity = line.data["quantity"] as? Int { payment.quantity = quantity }
    return QueueTransaction(
      object: object, state: believed ?? .purchasing, payment: payment,
      transaction: line["transaction"], original: line["originalTransaction"],
      date: time(line.data["purchasedAt"] as? String), error: error(line),
      downloads: (line.data["downloads"] as? [[String: Any]] ?? []).map { content in
        HostedContent(
          identifier: content["download"] as? String ?? "",
          version: content["contentVersion"] as? String,
          length: (content["contentLength"] as? Int).map(Int64.init))
      })
  }

  private mutating func download(
    _ line: SimulatedRun.Line, _ state: QueueDownload.State
  ) -> QueueDownload {
    QueueDownload(
      transaction: transaction(line),
      content: HostedContent(
        identifier: line["download"] ?? "", version: line.data["contentVersion"] as? String,
        length: (line.data["contentLength"] as? Int).map(Int64.init)),
      state: state, progress: (line.data["progress"] as? NSNumber)?.floatValue,
      timeRemaining: (line.data["timeRemaining"] as? NSNumber)?.doubleValue,
      path: line.data["contentURL"] as? String, error: error(line))
  }

  private func products(_ line: SimulatedRun.Line) -> [OfferedProduct] {
    (line.data["products"] as? [[String: Any]] ?? []).map { product in
      OfferedProduct(
        product: product["product"] as? String ?? "",
        isDownloadable: product["downloadable"] as? Bool,
        contentVersion: product["contentVersion"] as? String,
        contentLengths: (product["contentLengths"] as? [Int] ?? []).map(Int64.init))
    }
  }

  // MARK: - The app

  private func appCall(_ type: String, _ line: SimulatedRun.Line) -> AppCall? {
    switch type {
    case "session.started":
      .launched(Launch(isSimulator: line.data["simulator"] as? Bool))
    case "session.backgrounded": .backgrounded
    case "session.foregrounded": .foregrounded
    case "session.ended": .ended(reason: line.data["reason"] as? String)
    case "receipt.submitted": .receiptSubmitted(purchase(line))
    case "receipt.rejected":
      .receiptRejected(purchase(line), status: (line.data["status"] as? Int).map(Int64.init))
    case "purchase.fulfilled": .fulfilled(purchase(line))
    case "purchase.fulfillmentFailed": .fulfillmentFailed(purchase(line), error(line))
    case "content.installStarted": .installStarted(install(line))
    case "content.installed":
      .installed(install(line), version: line.data["contentVersion"] as? String ?? "")
    case "content.installFailed": .installFailed(install(line), error(line))
    case "content.removed": .contentRemoved(install(line))
    case "content.purged": .cachePurged
    default: nil
    }
  }

  private func purchase(_ line: SimulatedRun.Line) -> Purchase {
    Purchase(
      product: line["product"], transaction: line["transaction"], payment: line["payment"],
      account: line["account"])
  }

  private func install(_ line: SimulatedRun.Line) -> Install {
    Install(
      purchase(line), download: line["download"], version: line.data["contentVersion"] as? String,
      path: line.data["path"] as? String, bytes: (line.data["bytes"] as? Int).map(Int64.init),
      isExcludedFromBackup: line.data["excludedFromBackup"] as? Bool)
  }

  private func texts(_ line: SimulatedRun.Line, _ name: String) -> [String] {
    line.data[name] as? [String] ?? []
  }

  private func error(_ line: SimulatedRun.Line) -> StoreError? {
    guard let error = line.data["error"] as? [String: Any], let domain = error["domain"] as? String,
      let code = error["code"] as? Int
    else { return nil }
    return StoreError(domain: domain, code: code, message: error["message"] as? String)
  }

  private let format = ISO8601DateFormatter()

  /// A time of the run, in microseconds.
  private func time(_ text: String?) -> Timestamp? {
    guard let text, text.hasSuffix("Z") else { return nil }
    let parts = text.dropLast().split(separator: ".")
    guard let whole = parts.first, let date = format.date(from: whole + "Z") else { return nil }
    let digits = parts.dropFirst().first.map {
      $0.padding(toLength: 6, withPad: "0", startingAt: 0)
    }
    let fraction = digits.flatMap { Int64($0) } ?? 0
    return Timestamp(microseconds: Int64(date.timeIntervalSince1970) * 1_000_000 + fraction)
  }
}
