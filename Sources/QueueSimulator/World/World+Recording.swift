internal import LedgerEvents

extension World {
  /// Records an event of a device's app.
  mutating func record(
    _ kind: EventKind, on device: Int, source: EventSource.Kind = .storekit1,
    _ recording: inout Recording, _ fill: (inout SimulatedEvent) -> Void = { _ in }
  ) {
    clock += Self.tick
    var event = SimulatedEvent(kind, source, at: clock)
    event.device = Int16(device)
    event.session = devices[device].session
    event.sequence = devices[device].sequence
    event.account = devices[device].account
    devices[device].sequence += 1
    fill(&event)
    recording.append(event)
  }

  /// Records an event about a transaction on a device.
  mutating func record(
    _ kind: EventKind, on device: Int, slot: Int, part: Int = .absent,
    source: EventSource.Kind = .storekit1, _ recording: inout Recording,
    _ fill: (inout SimulatedEvent) -> Void = { _ in }
  ) {
    let transaction = devices[device].slots[slot]
    record(kind, on: device, source: source, &recording) { event in
      event.account = transaction.account
      event.product = transaction.product
      event.transaction = transaction.transaction
      // Until the transaction is delivered under the store's identifier, the recorder names its own
      // payment: a ledger does not know the store's identifier yet.
      if transaction.reported != .purchased && transaction.reported != .restored {
        event.payment = transaction.payment
      }
      event.part = Int16(part)
      fill(&event)
    }
  }

  /// Records an event of the store's server, the seller or an operator.
  mutating func record(
    _ kind: EventKind, source: EventSource.Kind, _ recording: inout Recording,
    _ fill: (inout SimulatedEvent) -> Void
  ) {
    clock += Self.tick
    var event = SimulatedEvent(kind, source, at: clock)
    fill(&event)
    recording.append(event)
  }
}
