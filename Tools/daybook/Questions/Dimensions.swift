import ArgumentParser
import LedgerEvents
import LedgerModel
import LedgerQueries
import LocalTime

/// The dimensions by which answers are grouped: one, or several separated by commas, such as
/// `day,product`.
struct Dimensions<Dimension: RawRepresentable & CaseIterable & Hashable>: ExpressibleByArgument
where Dimension.RawValue == String {
  let list: [Dimension]

  /// `nil` if a value is unknown or named twice.
  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    let found = parts.compactMap { Dimension(rawValue: String($0)) }
    guard found.count == parts.count, Set(found).count == found.count else { return nil }
    list = found
  }

  var names: [String] { list.map(\.rawValue) }

  func contains(_ dimension: Dimension) -> Bool { list.contains(dimension) }

  static var allValueStrings: [String] { Dimension.allCases.map(\.rawValue) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// The dimensions by which events and postings are grouped.
enum EventDimension: String, CaseIterable {
  case type, product, day, month, quarter, year, storefront, currency, appVersion, systemVersion
  case account, device, source, environment, app

  /// Whether its value comes from the newest start of the event's session.
  var needsSessions: Bool {
    switch self {
    case .appVersion, .systemVersion, .storefront: true
    default: false
    }
  }

  func value(of event: Event, _ sessions: SessionVersions?) -> Name? {
    switch self {
    case .type: Name(event.type.text)
    case .product: event.product
    case .day: event.occurredAt.dayName
    case .month: event.occurredAt.monthName
    case .quarter: event.occurredAt.quarterName
    case .year: event.occurredAt.yearName
    case .storefront:
      event.data.name("storefront") ?? sessions?.versions(of: event).storefront.map { Name($0) }
    case .currency: event.data.name("currency")
    case .appVersion: sessions?.versions(of: event).app.map { Name($0) }
    case .systemVersion: sessions?.versions(of: event).system.map { Name($0) }
    case .account: event.account
    case .device: event.device
    case .source: Name((event.source ?? EventSource(.app)).text)
    case .environment: event.environment.map { Name($0.text) }
    case .app: event.app
    }
  }

  /// The value of a posting. What the posting itself does not state comes from its event.
  func value(of posting: PostingAnswer, _ sessions: SessionVersions?) -> Name? {
    switch self {
    case .product: posting.product
    case .account: posting.account
    case .currency: posting.currency
    case .environment: Name(posting.environment.text)
    case .storefront: posting.storefront ?? value(of: posting.event.event, sessions)
    default: value(of: posting.event.event, sessions)
    }
  }
}

/// The dimensions by which findings are grouped.
enum FindingDimension: String, CaseIterable {
  case rule, severity, product, account, device, environment, day, month, appVersion, systemVersion
  case storefront

  /// Whether its value comes from the newest start of the session.
  var needsSessions: Bool {
    switch self {
    case .appVersion, .systemVersion, .storefront: true
    default: false
    }
  }

  func value(of finding: FindingAnswer, _ session: SessionVersions.Versions?) -> Name? {
    switch self {
    case .rule: Name(finding.rule.id)
    case .severity: Name(finding.severity.text)
    case .product: finding.product
    case .account: finding.account
    case .device: finding.device
    case .environment: Name(finding.environment.text)
    case .day: finding.occurredAt.dayName
    case .month: finding.occurredAt.monthName
    case .appVersion: session?.app.map { Name($0) }
    case .systemVersion: session?.system.map { Name($0) }
    case .storefront: session?.storefront.map { Name($0) }
    }
  }
}

extension Instant {
  /// The day in the zone of this run, as `2026-02-01`.
  var dayName: Name { Name(TimeFrame.zone.day(of: self)) }

  /// The month in the zone of this run, as `2026-02`.
  var monthName: Name { Name(TimeFrame.zone.month(of: self)) }

  /// The quarter in the zone of this run, as `2026-Q1`.
  var quarterName: Name {
    let month = monthName.text
    let number = Int(month.suffix(2)) ?? 1
    return Name("\(month.dropLast(3))-Q\((number + 2) / 3)")
  }

  /// The year in the zone of this run, as `2026`.
  var yearName: Name { Name(String(monthName.text.dropLast(3))) }
}
