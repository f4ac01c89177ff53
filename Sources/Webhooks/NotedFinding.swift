internal import Crypto
internal import Foundation
internal import LedgerEvents
internal import LedgerModel

/// A finding as it is noted, with numbers in place of names.
struct NotedFinding {
  struct Key: Hashable, Comparable {
    var anchor: NameNumber
    var hash: Int64

    static func < (left: Key, right: Key) -> Bool {
      (left.anchor, left.hash) < (right.anchor, right.hash)
    }
  }

  let finding: Finding
  /// How many findings with the same key came before it.
  var ordinal = 0

  init(_ finding: Finding) { self.finding = finding }

  /// The same for a finding whose owner becomes known later.
  var key: Key {
    var hash = SHA256()
    let detail = finding.detail?.text ?? ""
    let parts = [
      UInt64(finding.rule.rawValue), UInt64(finding.environment.rawValue), finding.position,
      UInt64(finding.device), UInt64(finding.transaction), UInt64(finding.product),
      UInt64(finding.download),
    ]
    hash.update(data: Data("\(parts)\(ordinal)\(detail)".utf8))
    let bits = hash.finalize().prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    return Key(anchor: finding.anchor, hash: Int64(bitPattern: bits))
  }

  // MARK: - Form

  private struct Form: Codable {
    var rule: UInt8
    var environment: UInt8
    var position: UInt64
    var occurredAt: Int64
    var account: NameNumber?
    var device: NameNumber?
    var transaction: NameNumber?
    var product: NameNumber?
    var download: NameNumber?
    var detail: String?
  }

  /// The detail is a version or a digest.
  func text() throws -> String {
    func stated(_ number: NameNumber) -> NameNumber? { number == 0 ? nil : number }
    let form = Form(
      rule: finding.rule.rawValue, environment: finding.environment.rawValue,
      position: finding.position, occurredAt: finding.occurredAt,
      account: stated(finding.account), device: stated(finding.device),
      transaction: stated(finding.transaction), product: stated(finding.product),
      download: stated(finding.download), detail: finding.detail?.text)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(form), as: UTF8.self)
  }

  init(text: String) throws {
    let form = try JSONDecoder().decode(Form.self, from: Data(text.utf8))
    guard let rule = Rule(rawValue: form.rule),
      let environment = StoreEnvironment(rawValue: form.environment)
    else {
      throw WebhookError(.unknownVersion, "a noted finding is of a rule that is not known here.")
    }
    finding = Finding(
      rule: rule, environment: environment, position: form.position, occurredAt: form.occurredAt,
      account: form.account ?? 0, device: form.device ?? 0, transaction: form.transaction ?? 0,
      product: form.product ?? 0, download: form.download ?? 0, detail: form.detail.map { Name($0) }
    )
  }
}
