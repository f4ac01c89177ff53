internal import LedgerEvents

// The rules for the store. Sources: Apple's documentation of SKPaymentTransaction
// (`transactionIdentifier`, `original`) and of the App Store Server Notifications; `model.md` 18.
extension Tape {
  mutating func auditStore() {
    auditPayments()
    auditIdentifiers()
    auditNotifications()
    auditVersions()
    for line in lines where line.isDelivery && line.kind == .transactionPurchased {
      auditPurchase(line)
    }
  }

  /// Checks that a payment is added once, where payments are allowed, and that everything that
  /// names it is later, on its device, and about its product.
  private mutating func auditPayments() {
    var added: [Name: Line] = [:]
    var newest: [Name: Line] = [:]
    for line in lines {
      defer { if let device = line.device { newest[device] = line } }
      guard let payment = line.event.payment else { continue }
      if line.kind == .paymentAdded {
        expect(added[payment] == nil, "payment", line, "twice")
        added[payment] = line
        let check = line.device.flatMap { newest[$0] }
        expect(
          check?.kind == .paymentsChecked && check?.event.data.boolean("allowed") == true,
          "payment", line, "without having asked whether payments are allowed")
        continue
      }
      guard let paid = added[payment] else {
        note("payment", line, "before its payment was added")
        continue
      }
      expect(
        paid.device == line.device && paid.event.product == line.event.product, "payment", line,
        "of another device or product than its payment")
      if let quantity = line.event.data.integer("quantity") {
        expect(
          quantity == paid.event.data.integer("quantity"), "payment", line, "of another quantity")
      }
    }
  }

  /// Checks that an identifier belongs to one transaction on one device.
  private mutating func auditIdentifiers() {
    var first: [Name: Line] = [:]
    var byPayment: [Name: Name] = [:]
    for line in lines where line.isDelivery {
      guard let transaction = line.event.transaction else { continue }
      if let known = first[transaction] {
        expect(
          known.device == line.device && known.event.product == line.event.product
            && known.kind == line.kind,
          "identifier", line, "\(transaction) shared with the one at \(known.number)")
      } else {
        first[transaction] = line
      }
      guard let payment = line.event.payment else { continue }
      expect(
        byPayment[payment] == nil || byPayment[payment] == transaction, "identifier", line,
        "a second one for \(payment)")
      byPayment[payment] = transaction
    }
  }

  /// Checks that a purchase answers a payment, or an interrupted one that was reported as failed.
  /// Its original is itself, or the purchase that the customer still has.
  private mutating func auditPurchase(_ line: Line) {
    let event = line.event
    let payments = lines.filter {
      $0.kind == .paymentAdded && $0.number < line.number && $0.device == line.device
        && $0.event.product == event.product
    }
    if event.payment == nil {
      expect(struck("interrupt-payment"), "purchase-answers", line, "without a payment")
      let purchases = Set(
        lines.filter {
          $0.kind == .transactionPurchased && $0.isDelivery && $0.number <= line.number
            && $0.device == line.device && $0.event.product == event.product
        }.map(\.about))
      expect(
        purchases.count <= payments.count, "purchase-answers", line,
        "\(purchases.count) purchases of \(payments.count) payments")
    }
    auditBlocking(line, payments)
    guard let original = event.originalTransaction else {
      note("original", line, "without an original")
      return
    }
    if original != event.transaction { auditOriginal(line, original, payments) }
  }

  /// Checks that a consumable is not sold while an earlier purchase of it is in the queue.
  private mutating func auditBlocking(_ line: Line, _ payments: [Line]) {
    guard kind(of: line.event.product) == "consumable", line.event.payment != nil,
      let payment = payments.first(where: { $0.event.payment == line.event.payment })
    else { return }
    for other in lines
    where other.isDelivery && other.number < payment.number && other.device == line.device
      && other.event.product == line.event.product && other.about != line.about
    {
      let hasLeft = lines.contains {
        $0.about == other.about && $0.number > other.number && $0.number < line.number
          && ($0.kind == .transactionFinished || $0.kind == .transactionRemoved)
      }
      // A later delivery of a removed transaction would be a different error.
      expect(hasLeft || struck("remove"), "blocked-sale", line, "while \(other.number) stands")
    }
  }

  private mutating func auditOriginal(_ line: Line, _ original: Name, _ payments: [Line]) {
    let isConsumable = Self.announced(line).isEmpty && kind(of: line.event.product) == "consumable"
    expect(!isConsumable, "original", line, "of a consumable that was bought before")
    let known = lines.first { $0.event.transaction == original && $0.event.account != nil }
    if let known, let account = line.event.account, run.policy != "signed-in-gets-it" {
      expect(
        known.event.account == account && known.event.product == line.event.product, "original",
        line, "\(original) is another customer's, or another product's")
    }
    let refund = lines.first {
      $0.kind == .transactionRefunded && $0.event.transaction == original
    }
    let payment = payments.first { $0.event.payment == line.event.payment }
    if let refund, let payment {
      expect(refund.number > payment.number, "original", line, "that was refunded before")
    }
  }

  /// Returns the kind of a product, by the catalogue.
  func kind(of product: Name?) -> String? {
    for line in lines where line.kind == .catalogSet {
      for entry in line.event.data.array("products") ?? []
      where entry["product"]?.string == product?.text {
        return entry["kind"]?.string
      }
    }
    return nil
  }

  /// Checks that the store's server reports only what was paid for, and each fact once.
  private mutating func auditNotifications() {
    var reported: Set<[Name]> = []
    for line in lines where line.event.source?.kind == .notification {
      guard let transaction = line.event.transaction, let product = line.event.product else {
        note("notification", line, "of no transaction or product")
        continue
      }
      expect(
        reported.insert([transaction, Name(line.event.type.text)]).inserted, "notification", line,
        "of a fact that was told before")
      expect(
        lines.contains {
          $0.kind == .paymentAdded && $0.number < line.number && $0.event.product == product
        }, "notification", line, "of what nobody paid for")
      let delivery = lines.first { $0.isDelivery && $0.event.transaction == transaction }
      if let delivery, let account = delivery.event.account, run.policy != "signed-in-gets-it" {
        expect(account == line.event.account, "notification", line, "of another account")
      }
      if let delivery {
        expect(delivery.event.product == product, "notification", line, "of another product")
        expect(delivery.kind == .transactionPurchased, "notification", line, "of a restored one")
      }
    }
  }

  /// Checks that the version on offer is the one that was published last, and that nothing is
  /// announced in a version that is published only later.
  private mutating func auditVersions() {
    var published: [Name: Name] = [:]
    for line in lines {
      if line.kind == .contentVersionPublished, let product = line.event.product {
        published[product] = line.event.data.name("contentVersion")
      }
      if line.kind == .catalogReceived {
        auditResponse(line)
        for offer in line.event.data.array("products") ?? [] {
          guard let product = offer["product"]?.string, let newest = published[Name(product)],
            let version = offer["contentVersion"]?.string
          else { continue }
          expect(newest == Name(version), "version", line, "\(version) of \(product)")
        }
      }
      if line.isDelivery { auditAnnouncement(line) }
    }
  }

  /// Checks that the response contains every requested product, either on offer or as invalid.
  private mutating func auditResponse(_ line: Line) {
    let request = lines.last {
      $0.kind == .catalogRequested && $0.device == line.device && $0.number < line.number
    }
    let asked = (request?.event.data.array("requested") ?? []).compactMap(\.string)
    let offered = (line.event.data.array("products") ?? []).compactMap { $0["product"]?.string }
    let invalid = (line.event.data.array("invalid") ?? []).compactMap(\.string)
    expect(
      asked.sorted() == (offered + invalid).sorted() && Set(asked).count == asked.count,
      "response", line, "of other products than were asked for")
  }

  /// Checks that the first announced version was on offer since the payment, or since the device
  /// first requested a restore.
  private mutating func auditAnnouncement(_ line: Line) {
    let isFirst = !lines.contains {
      $0.isDelivery && $0.about == line.about && $0.number < line.number
    }
    guard isFirst, let product = line.event.product else { return }
    // A sale that is answered as restored began with its payment.
    let isAnswer = struck("answer-as-restored")
    let begin = lines.first {
      $0.device == line.device
        && (line.kind == .transactionRestored
          ? $0.kind == .restoreRequested
            || isAnswer && $0.kind == .paymentAdded && $0.event.product == product
          : $0.kind == .paymentAdded && $0.event.product == product
            && ($0.event.payment == line.event.payment || line.event.payment == nil))
    }
    let publications = lines.filter {
      $0.kind == .contentVersionPublished && $0.event.product == product
        && $0.number < line.number
    }
    let start = begin?.number ?? 0
    var offered = Set(
      publications.filter { $0.number > start }.compactMap { $0.event.data.name("contentVersion") })
    let standing = publications.last { $0.number < start }?.event.data.name("contentVersion")
    if let standing { offered.insert(standing) }
    let initial = initialVersion(of: product)
    for (download, version) in Self.announced(line) {
      let isInitial = standing == nil && (initial == nil || initial == version)
      expect(
        offered.contains(version) || isInitial, "version", line, "\(version) of \(download)")
    }
  }

  /// Returns the version that the store offered before any was published, if a device asked for it.
  private func initialVersion(of product: Name?) -> Name? {
    for line in lines {
      if line.kind == .contentVersionPublished, line.event.product == product { return nil }
      guard line.kind == .catalogReceived else { continue }
      for offer in line.event.data.array("products") ?? []
      where offer["product"]?.string == product?.text {
        return offer["contentVersion"]?.string.map { Name($0) }
      }
    }
    return nil
  }
}
