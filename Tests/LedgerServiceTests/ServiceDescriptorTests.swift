import NIOCore
import NIOPosix
import Testing
import TracedProcesses
import Webhooks

@testable import LedgerService

/// Systems that allow few open files, which each connection is.
@Suite("The service where few files can be open", .timeLimit(.minutes(20)))
struct ServiceDescriptorTests {
  /// How many descriptors are not for connections.
  private static var reserved: Int {
    ConnectionRoom.descriptorsMin - ServiceLimits.connectionDescriptorsMin
  }

  private static func limited(_ limits: String) -> [String] {
    ["/bin/sh", "-c", "\(limits) && exec \"$@\"", "sh"]
  }

  /// Connects as often as it is told to, says nothing, and hangs up.
  private static func idle(_ count: Int, at address: String) async throws {
    let port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
    var channels: [any Channel] = []
    for _ in 0..<count {
      channels.append(
        try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
          .connect(host: "127.0.0.1", port: port).get())
    }
    for channel in channels {
      // The service hangs up on those that say nothing for long.
      do { try await channel.close() } catch ChannelError.alreadyClosed {}
    }
  }

  @Test("shares what there is among connections and webhooks, and takes no more than it was asked")
  func shares() {
    let many = ConnectionRoom(descriptors: 16_384, asked: 4_096)
    #expect((many.connections, many.webhookAttempts) == (4_096, 32))
    #expect(many.webhookConnections == ServiceLimits.webhookConnectionsMax)
    let usual = ConnectionRoom(descriptors: Self.reserved + 800, asked: 4_096)
    #expect((usual.connections, usual.webhookAttempts) == (608, 3))
    let few = ConnectionRoom(descriptors: ConnectionRoom.descriptorsMin, asked: 4_096)
    #expect((few.connections, few.webhookAttempts) == (36, 1))
    // Those who ask for few connections leave more to webhooks.
    let asked = ConnectionRoom(descriptors: Self.reserved + 800, asked: 10)
    #expect((asked.connections, asked.webhookAttempts) == (10, 12))
    for descriptors in stride(from: ConnectionRoom.descriptorsMin, to: 20_000, by: 37) {
      for wanted in [1, 100, 4_096, 100_000] {
        let room = ConnectionRoom(descriptors: descriptors, asked: wanted)
        #expect((1...wanted).contains(room.connections))
        #expect((1...ServiceLimits.webhookAttemptsMax).contains(room.webhookAttempts))
        let all = Self.reserved + room.connections + room.webhookConnections
        #expect(all <= descriptors, "\(descriptors) \(wanted)")
      }
    }
  }

  @Test("says what it came to, if that is less than it was asked for") func said() {
    let lines = KeptLines()
    for (descriptors, asked) in [(16_384, 4_096), (Self.reserved + 800, 4_096)] {
      ConnectionRoom(descriptors: descriptors, asked: asked)
        .tell(lines.logger, descriptors: descriptors, asked: asked)
    }
    #expect(lines.all.count == 1)
    #expect(lines.all.first?.metadata["connections"] == "608")
    #expect(lines.all.first?.metadata["asked"] == "4096")
  }

  @Test("raises its own limit, and more connections than that was do not end it")
  func raised() async throws {
    let ledger = try MadeLedger()
    try await ledger.served(in: Self.limited("ulimit -Sn 128")) { served in
      try await Self.idle(200, at: served.address)
      #expect(try await served.get("/health").status == 200)
      #expect(served.end() == 0)
    }
  }

  @Test("leaves connections waiting for which there is no descriptor") func waiting() async throws {
    let limit = "ulimit -n \(LedgerService.descriptorsMin)"
    let ledger = try MadeLedger()
    try await ledger.served(in: Self.limited(limit)) { served in
      try await Self.idle(200, at: served.address)
      #expect(try await served.get("/health").status == 200)
      #expect(served.end() == 0)
    }
  }

  @Test("ends with the reason where there are too few to begin with") func refused() throws {
    let made = try MadeLedger()
    let command =
      Self.limited("ulimit -n \(LedgerService.descriptorsMin - 1)") + [
        try BuiltProgram.path("daybook-serve"), "--open", "--port", "0", "--ledger", made.path,
      ]
    let ended = try TracedProcess.run(command[0], Array(command.dropFirst()))
    #expect(ended.status == 74, "\(ended.status): \(ended.errors)")
    #expect(ended.errors.contains("raise their limit to"), "\(ended.errors)")
  }
}
