import LedgerEvents

/// The head of an environment's state: everything but its tables. The lists in it hold what is
/// open, or a few things for each customer, and do not grow with age.
extension EnvironmentState: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    self.init(environment: try reader.choice())
    newest = try reader.signed()
    grants = try reader.list()
    consumptions = try reader.list()
    failures = try reader.list()
    payments = try reader.list()
    closings = try reader.list()
    refusals = try reader.list()
    gifts = try reader.list()
    repeats = try reader.list()
    couplings = try reader.list()
    asksAbsentDevice = try reader.boolean()
  }

  func encode(into writer: inout StateWriter) {
    precondition(arrivals.isEmpty, "state is written between batches")
    writer.write(environment.rawValue)
    writer.write(newest)
    writer.write(grants)
    writer.write(consumptions)
    writer.write(failures)
    writer.write(payments)
    writer.write(closings)
    writer.write(refusals)
    writer.write(gifts)
    writer.write(repeats)
    writer.write(couplings)
    writer.write(asksAbsentDevice)
  }
}
