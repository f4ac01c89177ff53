import Audit
import LedgerEvents
import LedgerHistories
import LedgerQueries
import Testing

/// However a bundle is changed, it never shows an event that the ledger does not have.
@Suite("A bundle in wrong hands") struct HostileBundleTests {
  private static func reported(_ bundle: IncidentBundle) -> [[UInt8]] {
    bundle.events.events.map { EventEncoder().encode($0) }
  }

  /// Returns the contents of a bundle after checking its signature; nil if it is refused.
  private static func reported(_ lines: [[UInt8]], _ key: NoteVerifier) -> [[UInt8]]? {
    do {
      let bundle = try IncidentBundle.read(lines)
      _ = try bundle.signers(of: [key])
      return reported(bundle)
    } catch { return nil }
  }

  private static func code(_ lines: [[UInt8]]) -> ProofError.Code? {
    do {
      _ = try IncidentBundle.read(lines)
      return nil
    } catch { return error.code }
  }

  /// A short incident and the contents of its bundle.
  private struct Incident {
    let lines: [[UInt8]]
    let reported: [[UInt8]]
    let key: NoteVerifier

    /// Whether the entries are the whole log, so that no nodes are needed to prove them.
    var hasNoNodes: Bool {
      String(decoding: lines[0], as: UTF8.self).contains(#""nodes":0"#)
    }

    init(seed: UInt64, count: Int) throws {
      let ledger = try BundledLedger(Histories.dense(seed: seed, count: count))
      lines = try ledger.bundle(of: "A")
      reported = HostileBundleTests.reported(try IncidentBundle.read(lines))
      key = ledger.signer.verifier
    }
  }

  @Test("with any byte changed tells the same events or none") func everyByte() throws {
    let incident = try Incident(seed: 4, count: 14)
    var random = SeededRandom(seed: 1)
    #expect(Self.reported(incident.lines, incident.key) == incident.reported)
    var accepted: Set<Int> = []
    var tried = 0
    var before = BundleReader()
    for line in incident.lines.indices {
      for index in incident.lines[line].indices {
        var changed = incident.lines[line]
        changed[index] ^=
          random.chance(1, in: 2) ? 1 << UInt8(random.below(8)) : UInt8(1 + random.below(255))
        tried += 1
        // Nearly every change is refused at its own line, so the other lines are usually not read
        // again.
        var reader = before
        do { try reader.read(changed) } catch { continue }
        var lines = incident.lines
        lines[line] = changed
        guard let reported = Self.reported(lines, incident.key) else { continue }
        accepted.insert(line)
        #expect(reported == incident.reported, "line \(line + 1), byte \(index + 1)")
      }
      try before.read(incident.lines[line])
    }
    #expect(tried > 5_000)
    // The account named in the first line is not proven.
    #expect(accepted.isSubset(of: [0]))
  }

  @Test("with a line left out, twice, or elsewhere is refused", arguments: [4, 9] as [UInt64])
  func lines(seed: UInt64) throws {
    let incident = try Incident(seed: seed, count: 30)
    for line in incident.lines.indices {
      var lines = incident.lines
      let taken = lines.remove(at: line)
      #expect(Self.reported(lines, incident.key) == nil)
      lines.insert(taken, at: (line + 1) % incident.lines.count)
      if lines != incident.lines { #expect(Self.reported(lines, incident.key) == nil) }
      lines = incident.lines
      lines.insert(taken, at: line)
      #expect(Self.reported(lines, incident.key) == nil)
      #expect(Self.reported(Array(incident.lines[..<line]), incident.key) == nil)
    }
  }

  @Test("with an event that tells more than its entry is not proven") func event() throws {
    let incident = try Incident(seed: 4, count: 30)
    for line in incident.lines.indices {
      let text = String(decoding: incident.lines[line], as: UTF8.self)
      guard let type = text.firstRange(of: #""type":""#) else { continue }
      var lines = incident.lines
      lines[line] =
        Array((text[..<type.lowerBound] + #""type":"x"# + text[type.upperBound...]).utf8)
      #expect(Self.code(lines) == .notProven)
    }
  }

  @Test("with entries of another ledger is not proven, whatever its first line says")
  func otherLedger() throws {
    let incident = try Incident(seed: 4, count: 30)
    let other = try Incident(seed: 4, count: 30)
    // The same events with different salts.
    var lines = incident.lines
    lines[0] = other.lines[0]
    #expect(Self.code(lines) == .notProven || lines[1...] == other.lines[1...])
    #expect(Self.reported(other.lines, incident.key) == nil)
    #expect(Self.reported(other.lines, other.key) == other.reported)
  }

  @Test("of a later format, or of none, is refused by name") func versions() throws {
    // An incident whose proof has nodes, so that a line of another kind follows the entries.
    var incident = try Incident(seed: 1, count: 14)
    for seed in 2...20 as ClosedRange<UInt64> where incident.hasNoNodes {
      incident = try Incident(seed: seed, count: 14)
    }
    try #require(!incident.hasNoNodes)
    func message(_ header: String) -> String {
      do {
        _ = try IncidentBundle.read([Array(header.utf8)] + incident.lines.dropFirst())
        return "nothing was wrong"
      } catch { return "\(error.code): \(error.message)" }
    }
    let header = String(decoding: incident.lines[0], as: UTF8.self)
    func replacing(_ part: String, _ other: String) -> String {
      message(header.replacing(part, with: other))
    }
    #expect(replacing(#""bundle":1"#, #""bundle":2"#).contains("is of format 2"))
    #expect(replacing(#""bundle":1"#, #""bundle":1,"more":true"#).contains("more is no member"))
    #expect(replacing(#""leaves":"#, #""leaves":9"#).contains("is no entry"))
    #expect(replacing(#""events":"#, #""events":99999999"#).contains("events: expected a number"))
    #expect(message(#"{"bundle":1}"#).contains("leaves: expected a number"))
    #expect(message("[]").contains("not that of a bundle"))
    #expect(message("{").contains("is no JSON"))
    #expect(Self.code([]) == .malformed)
  }

  @Test("that is larger than any bundle is refused before it is held") func limits() throws {
    var reader = BundleReader()
    #expect(throws: ProofError(.malformed, "")) {
      try reader.read([UInt8](repeating: 0x20, count: IncidentBundle.lineBytesMax + 1))
    }
  }
}
