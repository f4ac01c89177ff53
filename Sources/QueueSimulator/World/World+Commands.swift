internal import LedgerEvents

extension World {
  /// Carries out the script's next command.
  mutating func runCommand(_ recording: inout Recording) {
    let scripted = cast.script[cursor]
    cursor += 1
    if case .at(let time) = scripted.moment {
      clock = max(clock, cast.scenario.start.microseconds + time)
    }
    guard canHappen(scripted.command) else {
      missed.append(cursor - 1)
      return
    }
    switch scripted.command {
    case .launch(let device): launch(device, &recording)
    case .quit(let device):
      record(.sessionEnded, on: device, &recording) { $0.note = .quit }
      kill(device)
    case .background(let device): background(device, &recording)
    case .foreground(let device): foreground(device, &recording)
    case .requestProducts(let device): requestProducts(device, &recording)
    case .buy(let device, let product, let quantity, let outcome):
      buy(device, Int16(product), quantity, outcome, &recording)
    case .approve: answerDeferred(.purchased)
    case .decline: answerDeferred(.failed)
    case .restore(let device): restore(device, &recording)
    case .pauseDownloads(let device): holdDownloads(device, &recording)
    case .resumeDownloads(let device): resumeDownloads(device, &recording)
    case .cancelDownloads(let device): cancelDownloads(device, &recording)
    case .addObserver(let device): addObserver(device, &recording)
    case .removeObserver(let device): removeObserver(device, &recording)
    case .publish(let product, let version): publish(product, cast.ranks[version], &recording)
    case .refund(let product, let account): refund(Int16(product), Int16(account))
    case .switchPayments(let device, let allowed): devices[device].mayPay = allowed
    case .fault(let action): strike(action, &recording)
    }
  }

  /// Whether a command of the script has an effect now, as described by ``Command/need``.
  private func canHappen(_ command: Command) -> Bool {
    switch command {
    case .launch(let device): devices[device].app == .notRunning
    case .quit(let device): devices[device].app != .notRunning
    case .foreground(let device): devices[device].app == .background
    case .background(let device), .requestProducts(let device), .buy(let device, _, _, _),
      .restore(let device):
      devices[device].app == .foreground
    case .approve, .decline: deferredPayment != nil
    case .pauseDownloads(let device): canHold(device, in: Self.running)
    case .resumeDownloads(let device): canHold(device, in: [.paused])
    case .cancelDownloads(let device): canHold(device, in: Self.running + [.paused])
    case .addObserver(let device):
      devices[device].app == .foreground && !devices[device].observes
    case .removeObserver(let device):
      devices[device].app == .foreground && devices[device].observes
    case .publish, .switchPayments: true
    case .refund(let product, let account):
      refundable(Int16(product), Int16(account)) != nil
    case .fault(let action): canStrike(action)
    }
  }

  private mutating func requestProducts(_ device: Int, _ recording: inout Recording) {
    record(.catalogRequested, on: device, &recording)
    record(.catalogReceived, on: device, &recording)
  }

  /// The customer taps *buy*: the app asks whether it may, and adds a payment.
  private mutating func buy(
    _ device: Int, _ product: Int16, _ quantity: Int, _ outcome: PaymentOutcome,
    _ recording: inout Recording
  ) {
    let mayPay = devices[device].mayPay
    record(.paymentsChecked, on: device, &recording) { $0.note = mayPay ? .allowed : .notAllowed }
    guard mayPay else { return }
    var transaction = transaction(of: product, for: devices[device].account)
    transaction.payment = nextPayment
    transaction.quantity = Int16(clamping: quantity)
    transaction.outcome = outcome
    nextPayment += 1
    record(.paymentAdded, on: device, &recording) { event in
      event.payment = transaction.payment
      event.product = product
      event.quantity = transaction.quantity
    }
    devices[device].newestPayment = Int16(devices[device].slots.count)
    devices[device].slots.append(transaction)
    let slot = devices[device].slots.count - 1
    if !sells(transaction, on: device) { swallow(device, slot) }
  }

  /// A parent answers the oldest payment that waits for it.
  private mutating func answerDeferred(_ outcome: PaymentOutcome) {
    guard let (device, slot) = deferredPayment else { return }
    devices[device].slots[slot].outcome = outcome
  }

  /// The oldest payment that waits for a parent's answer.
  private var deferredPayment: (device: Int, slot: Int)? {
    for device in devices.indices {
      for slot in devices[device].slots.indices
      where devices[device].slots[slot].state == .deferred
        && devices[device].slots[slot].outcome == .deferred
      {
        return (device, slot)
      }
    }
    return nil
  }

  private mutating func publish(
    _ product: Int, _ version: Int16, _ recording: inout Recording
  ) {
    offers[product] = version
    record(.contentVersionPublished, source: .operator, &recording) { event in
      event.product = Int16(product)
      event.version = version
    }
  }

  /// The store refunds the customer's newest purchase of the product and notifies the backend.
  private mutating func refund(_ product: Int16, _ account: Int16) {
    guard let index = refundable(product, account) else { return }
    purchases[index].isRefunded = true
    notifications.append(
      Notification(fact: .refunded, purchase: Int16(index), purchasedAt: clock))
  }

  /// The index of the customer's newest purchase of the product that was not refunded.
  private func refundable(_ product: Int16, _ account: Int16) -> Int? {
    purchases.lastIndex { $0.product == product && $0.account == account && !$0.isRefunded }
  }
}

extension World {
  // Calls of SKPaymentQueue that the app makes for the customer.

  /// Applies a request of the customer to every download in one of the given states.
  private mutating func hold(
    _ device: Int, in states: [Part.State], _ kind: EventKind, _ state: Part.State,
    _ recording: inout Recording
  ) {
    for (slot, part) in downloads(on: device, in: states) {
      devices[device][slot, part].state = state
      devices[device][slot, part].isHeldByCustomer = state != .waiting
      devices[device][slot, part].isPending = true
      record(kind, on: device, slot: slot, part: part, &recording)
    }
  }

  private static let running: [Part.State] = [.waiting, .active]

  private func canHold(_ device: Int, in states: [Part.State]) -> Bool {
    devices[device].app == .foreground && !downloads(on: device, in: states).isEmpty
  }

  /// The downloads in one of the given states whose transactions were reported to the app.
  private func downloads(
    on device: Int, in states: [Part.State]
  ) -> [(slot: Int, part: Int)] {
    devices[device].slots.indices.flatMap { slot -> [(slot: Int, part: Int)] in
      let transaction = devices[device].slots[slot]
      guard transaction.isReported, !transaction.hasLeft else { return [] }
      return devices[device].parts(of: slot)
        .filter { states.contains(devices[device][slot, $0].state) }.map { (slot, $0) }
    }
  }

  private mutating func holdDownloads(_ device: Int, _ recording: inout Recording) {
    hold(device, in: Self.running, .downloadPauseRequested, .paused, &recording)
  }

  private mutating func resumeDownloads(_ device: Int, _ recording: inout Recording) {
    hold(device, in: [.paused], .downloadResumeRequested, .waiting, &recording)
  }

  private mutating func cancelDownloads(_ device: Int, _ recording: inout Recording) {
    hold(
      device, in: Self.running + [.paused], .downloadCancelRequested, .cancelled, &recording)
  }
}
