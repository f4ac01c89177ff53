import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOSSL
import Synchronization
import Testing

@testable import LedgerService

/// Who is let in, before a byte was read.
@Suite("Connections to the service") struct ServiceConnectionTests {
  /// Takes any connection.
  private struct AnyChannel: ServerChildChannel {
    struct Value: ServerChildChannelValue {
      let channel: any Channel
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
      channel.eventLoop.makeSucceededFuture(Value(channel: channel))
    }

    func handle(value: Value, logger: Logger) async {}
  }

  private static func address(_ text: String) throws -> SocketAddress {
    try SocketAddress(ipAddress: text, port: 50_000)
  }

  @Test("of one address are as many as the setting says, and others do not wait for them")
  func limit() throws {
    let gate = ConnectionGate(most: 2, proxies: [])
    let (one, other) = (try Self.address("192.0.2.1"), try Self.address("192.0.2.2"))
    #expect(gate.enter(one))
    #expect(gate.enter(one))
    #expect(!gate.enter(one))
    #expect(gate.enter(other))
    gate.leave(one)
    #expect(gate.enter(one), "one has ended")
    #expect(!gate.enter(one))
    for address in [one, one, other] { gate.leave(address) }
    #expect(gate.clientCount == 0, "who has none is forgotten")
  }

  @Test(
    "of a network of IPv6 are counted together, and an address has one way to be written",
    arguments: [
      ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"), ("192.0.2.1", "::ffff:192.0.2.1"),
    ])
  func together(_ first: String, _ second: String) throws {
    let gate = ConnectionGate(most: 1, proxies: [])
    #expect(gate.enter(try Self.address(first)))
    #expect(!gate.enter(try Self.address(second)))
  }

  @Test(
    "of this machine, and of a proxy that is named, are any number",
    arguments: ["127.0.0.1", "127.8.0.1", "::1", "10.0.0.2", "::ffff:10.0.0.2", "2001:db8::2"])
  func exempt(_ text: String) throws {
    let gate = ConnectionGate(most: 1, proxies: ["10.0.0.2", "2001:DB8:0::2"])
    for _ in 0..<3 { #expect(gate.enter(try Self.address(text))) }
    // Its neighbour in the same network is no proxy.
    #expect(gate.enter(try Self.address("2001:db8::3")))
    #expect(!gate.enter(try Self.address("2001:db8::3")))
  }

  @Test("that are too many are closed, and one that ends makes room") func closed() async throws {
    let gate = ConnectionGate(most: 1, proxies: [])
    let guarded = GuardedChannel(base: AnyChannel(), gate: gate)
    let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
    func connect() async throws -> (NIOAsyncTestingChannel, isTaken: Bool) {
      let channel = NIOAsyncTestingChannel()
      try await channel.connect(to: try Self.address("192.0.2.9")).get()
      channel.remoteAddress = try Self.address("192.0.2.1")
      let setup = try await channel.testingEventLoop.executeInContext {
        guarded.setup(channel: channel, logger: logger)
      }
      do {
        _ = try await setup.get()
        return (channel, true)
      } catch is GuardedChannel<AnyChannel>.Refused {
        return (channel, false)
      }
    }
    let (first, isTaken) = try await connect()
    #expect(isTaken && first.isActive)
    let (second, isAlsoTaken) = try await connect()
    await second.testingEventLoop.run()
    #expect(!isAlsoTaken && !second.isActive)
    try await first.close()
    await first.testingEventLoop.run()
    let (_, isTakenNow) = try await connect()
    #expect(isTakenNow)
  }

  /// How many bytes wait for a client of a test.
  private final class Waiting: Sendable {
    private let bytes = Mutex(0)

    var count: Int {
      get { bytes.withLock { $0 } }
      set { bytes.withLock { $0 = newValue } }
    }
  }

  /// A connection that is looked at once a minute.
  private static func timed(_ waiting: Waiting) async throws -> NIOAsyncTestingChannel {
    let channel = NIOAsyncTestingChannel()
    try await channel.connect(to: try address("192.0.2.9")).get()
    try await channel.testingEventLoop.executeInContext {
      try channel.pipeline.syncOperations.addHandler(
        StallTimer(interval: .minutes(1)) { _ in waiting.count })
    }
    return channel
  }

  @Test("whose clients do not take what is sent are closed, and those of slow ones are not")
  func stalled() async throws {
    for (taken, isKept) in [(0, false), (1_000, false), (100_000, true)] {
      let waiting = Waiting()
      let channel = try await Self.timed(waiting)
      try await channel.writeAndFlush(IOData.byteBuffer(ByteBuffer(repeating: 0, count: 1 << 20)))
      waiting.count = 1 << 20
      channel.isWritable = false
      for _ in 0..<4 {
        await channel.testingEventLoop.advanceTime(by: .minutes(1))
        waiting.count -= taken
      }
      #expect(channel.isActive == isKept, "\(taken)")
    }
  }

  @Test("that always have more to take are kept as long as it is taken") func busy() async throws {
    let waiting = Waiting()
    let channel = try await Self.timed(waiting)
    channel.isWritable = false
    waiting.count = 1 << 20
    for _ in 0..<20 {
      try await channel.writeAndFlush(IOData.byteBuffer(ByteBuffer(repeating: 0, count: 1 << 20)))
      await channel.testingEventLoop.advanceTime(by: .minutes(1))
    }
    #expect(channel.isActive)
  }

  @Test("over which nothing goes are closed after ten minutes") func silent() async throws {
    let channel = try await Self.timed(Waiting())
    await channel.testingEventLoop.advanceTime(by: .minutes(9))
    try await channel.writeInbound(ByteBuffer(string: "x"))
    await channel.testingEventLoop.advanceTime(by: .minutes(10))
    #expect(channel.isActive)
    await channel.testingEventLoop.advanceTime(by: .minutes(1))
    #expect(!channel.isActive)
  }

  @Test("have streams of HTTP/2 up to a number, and one that ends makes room")
  func streams() async throws {
    let gate = StreamGate(most: 2, ofAddress: ConnectionGate(most: 1, proxies: []))
    func open(_ address: String, isStream: Bool = true) async throws -> NIOAsyncTestingChannel {
      let channel = NIOAsyncTestingChannel()
      try await channel.connect(to: try Self.address("192.0.2.9")).get()
      channel.remoteAddress = try Self.address(address)
      try await channel.testingEventLoop.executeInContext {
        try channel.pipeline.syncOperations.addHandler(StreamLimit(gate) { _ in isStream })
      }
      try await channel.writeInbound("a request")
      return channel
    }
    let first = try await open("192.0.2.1")
    #expect(first.isActive)
    #expect(try await !open("192.0.2.1").isActive, "of the same address")
    let second = try await open("192.0.2.2")
    #expect(second.isActive)
    #expect(try await !open("192.0.2.3").isActive, "of all")
    #expect(try await open("192.0.2.1", isStream: false).isActive, "a connection is counted once")
    #expect(gate.streamCount == 2)
    try await first.close()
    await first.testingEventLoop.run()
    #expect(gate.streamCount == 1)
    #expect(try await open("192.0.2.1").isActive)
  }

  @Test("that do not end their TLS handshake are closed") func handshake() async throws {
    let channel = NIOAsyncTestingChannel()
    try await channel.connect(to: try Self.address("192.0.2.9")).get()
    try await channel.testingEventLoop.executeInContext {
      try channel.pipeline.syncOperations.addHandler(HandshakeTimer(.seconds(10)))
    }
    await channel.testingEventLoop.advanceTime(by: .seconds(9))
    #expect(channel.isActive)
    await channel.testingEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }
}
