import WorkThreads

/// SIGINT and SIGTERM as a flag: what was read is committed and answered first.
struct StopSignal: Sendable {
  init() { StopSignals.trap() }

  var isReceived: Bool { StopSignals.isReceived }
}
