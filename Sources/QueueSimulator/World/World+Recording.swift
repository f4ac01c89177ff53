internal import LedgerEvents

extension World {
  /// Writes down what a device's app saw or did; an app that does not run records nothing.
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

  /// Writes down what is about a transaction on a device.
  mutating func record(
    _ kind: EventKind, on device: Int, slot: Int, part: Int = -1,
    source: EventSource.Kind = .storekit1, _ recording: inout Recording,
    _ fill: (inout SimulatedEvent) -> Void = { _ in }
  ) {
    let transaction = devices[device].slots[slot]
    record(kind, on: device, source: source, &recording) { event in
      event.account = transaction.account
      event.product = transaction.product
      event.transaction = transaction.transaction
      // The recorder's own identifier, until the transaction was delivered under the store's: who
      // finishes what was bought and not yet told of would name what nobody knows.
      if transaction.told != .purchased && transaction.told != .restored {
        event.payment = transaction.payment
      }
      event.part = Int16(part)
      fill(&event)
    }
  }

  /// Writes down what the store's server, the seller or an operator says.
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
