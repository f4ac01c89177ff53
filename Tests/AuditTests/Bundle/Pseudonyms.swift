import LedgerEvents
import LedgerModel
import LedgerQueries
import Replay
import Testing

/// The pseudonyms of people, found by comparing the events of a bundle with those of the ledger.
struct Pseudonyms {
  private var accounts: [Name: Name] = [:]
  private var devices: [Name: Name] = [:]

  /// Expects exactly one pseudonym for each name, and one name for each pseudonym.
  init(_ events: [RecordedEvent], _ masked: [RecordedEvent]) {
    #expect(events.map(\.position) == masked.map(\.position))
    var sessions: [Name: Name] = [:]
    for (whole, masked) in zip(events, masked) {
      let (whole, masked) = (whole.event, masked.event)
      Self.match(whole.account, masked.account, &accounts)
      Self.match(whole.data.name("to"), masked.data.name("to"), &accounts)
      Self.match(whole.device, masked.device, &devices)
      Self.match(whole.session, masked.session, &sessions)
    }
    for map in [accounts, devices, sessions] { #expect(Set(map.values).count == map.count) }
  }

  private static func match(_ name: Name?, _ masked: Name?, _ map: inout [Name: Name]) {
    #expect((name == nil) == (masked == nil))
    guard let name, let masked else { return }
    #expect((map[name] ?? masked) == masked)
    map[name] = masked
  }

  func account(_ name: Name?) -> Name? { name.map { accounts[$0] ?? $0 } }

  func device(_ name: Name?) -> Name? { name.map { devices[$0] ?? $0 } }

  /// Returns a finding with pseudonyms replaced by names.
  func text(_ finding: FindingAnswer) -> String {
    var finding = finding
    finding.account = account(finding.account)
    finding.device = device(finding.device)
    finding.detail = finding.rule == .accountChanged ? account(finding.detail) : finding.detail
    return "\(finding)"
  }

  func text(_ change: ReplayChange) -> String {
    var change = change
    change.subject.account = account(change.subject.account)
    change.subject.device = device(change.subject.device)
    return "\(change)"
  }
}
