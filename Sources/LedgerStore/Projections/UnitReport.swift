internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// The results of a unit besides its answers, in a form that outlives the reducer that folded it:
/// balances, installed versions and findings by rule, for each account and environment.
///
/// A later reducer that can no longer read the unit's state can still be compared with this.
/// Integers are big-endian. A text is preceded by its length in four bytes. Names are stored by
/// number:
///
///     line: account (4), environment (1), balances, installed, findings, each with a count (4)
///     balance: unit, amount (8)
///     installed: device (4), product (4), version
///     finding: rule (1), how often (4)
///
/// Rules of the second table are judged at the unit's newest event, without patience. What is
/// judged over all units (`version-not-increased`, `digest-mismatch`, and what nobody has
/// installed) is not in a unit's report.
struct UnitReport {
  private(set) var encoded: [UInt8] = []

  /// Creates the report of `unit`. Check `texts` for a failure afterwards.
  ///
  /// - Complexity: O(*n*) in what the unit keeps.
  init(of unit: Unit, _ context: SharedContext, _ texts: LogTexts) {
    let accounts = unit.answeredAccounts
    let known = Set(accounts).union([0])
    for environment in StoreEnvironment.allCases {
      guard let newest = unit.newestEvent(in: environment) else { continue }
      var findings: [NameNumber: [UInt8: UInt32]] = [:]
      let now = unit.findings(
        at: newest, in: environment, thresholds: Self.impatience, context: context, texts: texts)
      for finding in unit.findings + now where finding.environment == environment {
        // A finding about an account without a stored answer is counted under no account here.
        let account = known.contains(finding.account) ? finding.account : 0
        findings[account, default: [:]][finding.rule.rawValue, default: 0] += 1
      }
      let holdings = unit.reportedHoldings(in: environment, context: context, texts: texts)
      for account in accounts {
        append(
          account, environment, holdings.balances(of: account), holdings.installed(of: account),
          findings[account] ?? [:])
      }
      append(0, environment, [], [], findings[0] ?? [:])
    }
  }

  /// Thresholds without patience: everything that is open counts.
  private static let impatience: Thresholds = {
    var thresholds = Thresholds()
    for rule in Thresholds.rules { _ = thresholds.set(rule, to: 0) }
    return thresholds
  }()

  private mutating func append(
    _ account: NameNumber, _ environment: StoreEnvironment, _ balances: [Balance],
    _ installed: [InstalledContent], _ findings: [UInt8: UInt32]
  ) {
    if balances.isEmpty && installed.isEmpty && findings.isEmpty { return }
    encoded.append(bigEndianHalf: account)
    encoded.append(environment.rawValue)
    encoded.append(bigEndianHalf: UInt32(balances.count))
    for balance in balances {
      append(balance.unit)
      encoded.append(bigEndianWord: UInt64(bitPattern: balance.amount))
    }
    encoded.append(bigEndianHalf: UInt32(installed.count))
    for content in installed {
      encoded.append(bigEndianHalf: content.device)
      encoded.append(bigEndianHalf: content.product)
      append(content.version)
    }
    encoded.append(bigEndianHalf: UInt32(findings.count))
    for (rule, count) in findings.sorted(by: { $0.key < $1.key }) {
      encoded.append(rule)
      encoded.append(bigEndianHalf: count)
    }
  }

  private mutating func append(_ name: Name) {
    encoded.append(bigEndianHalf: UInt32(name.byteCount))
    encoded += name.text.utf8
  }
}

/// A line of a stored report: the results of one account in one environment, besides its answer.
struct ReportedLine: Hashable {
  struct Key: Hashable, Comparable {
    /// 0 for what does not concern a known account.
    var account: NameNumber
    var environment: StoreEnvironment

    static func < (left: Key, right: Key) -> Bool {
      (left.account, left.environment) < (right.account, right.environment)
    }
  }

  struct Installed: Hashable {
    var device: NameNumber
    var product: NameNumber
    var version: Name
  }

  var key: Key
  var balances: [Name: Int64] = [:]
  var installed: [Installed] = []
  /// By the rule's number, which may be one that this program does not know.
  var findings: [UInt8: Int] = [:]

  /// Adds another unit's line with the same key: findings without an account are spread over many
  /// units.
  mutating func add(_ other: ReportedLine) {
    balances.merge(other.balances, uniquingKeysWith: { $0 &+ $1 })
    installed += other.installed
    findings.merge(other.findings, uniquingKeysWith: +)
  }

  /// The lines of a report.
  ///
  /// - Throws: `rebuildNeeded` if it is damaged. The row's checksum does not rule this out, because
  ///   a faulty program may have written it.
  static func lines(of report: Span<UInt8>) throws(LedgerError) -> [ReportedLine] {
    var scan = ReportScan(report)
    var lines: [ReportedLine] = []
    while !scan.isAtEnd {
      let account = try scan.half()
      guard let environment = StoreEnvironment(rawValue: try scan.byte()) else {
        throw .answerDamaged
      }
      var line = ReportedLine(key: Key(account: account, environment: environment))
      for _ in 0..<(try scan.half()) {
        let unit = try scan.name()
        line.balances[unit] = Int64(bitPattern: try scan.word())
      }
      for _ in 0..<(try scan.half()) {
        line.installed.append(
          Installed(
            device: try scan.half(), product: try scan.half(), version: try scan.name()))
      }
      for _ in 0..<(try scan.half()) {
        let rule = try scan.byte()
        line.findings[rule] = Int(try scan.half())
      }
      lines.append(line)
    }
    return lines
  }
}

/// A scan of a report's bytes that checks every length before it uses it.
private struct ReportScan: ~Escapable {
  private let bytes: Span<UInt8>
  private var offset = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  private mutating func take(_ count: Int) throws(LedgerError) -> Int {
    guard bytes.count - offset >= count else { throw .answerDamaged }
    defer { offset += count }
    return offset
  }

  mutating func byte() throws(LedgerError) -> UInt8 { bytes[try take(1)] }

  mutating func half() throws(LedgerError) -> UInt32 { bytes.bigEndianHalf(at: try take(4)) }

  mutating func word() throws(LedgerError) -> UInt64 { bytes.bigEndianWord(at: try take(8)) }

  mutating func name() throws(LedgerError) -> Name {
    let count = Int(try half())
    let start = try take(count)
    let text = [UInt8](copying: bytes.extracting(start..<start + count))
    guard let text = String(validating: text, as: UTF8.self) else { throw .answerDamaged }
    return Name(text)
  }
}
