import Dispatch
import Foundation
import Synchronization

/// SIGINT and SIGTERM as a flag: what was read is committed and answered first.
final class StopSignal: Sendable {
  private let received = Atomic<Bool>(false)
  private let sources: [any DispatchSourceSignal & Sendable]

  init() {
    let queue = DispatchQueue(label: "daybook.signals")
    var sources: [any DispatchSourceSignal & Sendable] = []
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      if let source = source as? any DispatchSourceSignal & Sendable { sources.append(source) }
    }
    self.sources = sources
    for source in sources {
      source.setEventHandler { [self] in received.store(true, ordering: .releasing) }
      source.resume()
    }
  }

  var isReceived: Bool { received.load(ordering: .acquiring) }
}
