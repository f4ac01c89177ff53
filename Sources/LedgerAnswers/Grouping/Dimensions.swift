package import LedgerEvents
import LedgerModel
package import LedgerQueries
package import LocalTime

/// The dimensions by which events and postings are grouped.
package enum EventDimension: String, CaseIterable {
  case type, product, day, month, quarter, year, storefront, currency, appVersion, systemVersion
  case account, device, source, environment, app

  /// Whether its value comes from the newest start of the event's session.
  package var needsSessions: Bool {
    switch self {
    case .appVersion, .systemVersion, .storefront: true
    default: false
    }
  }

  /// The value of an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - sessions: The versions that sessions state; needed for some dimensions.
  ///   - zone: Whose days and months count.
  package func value(of event: Event, _ sessions: SessionVersions?, _ zone: Zone) -> Name? {
    switch self {
    case .type: Name(event.type.text)
    case .product: event.product
    case .day: event.occurredAt.dayName(zone)
    case .month: event.occurredAt.monthName(zone)
    case .quarter: event.occurredAt.quarterName(zone)
    case .year: event.occurredAt.yearName(zone)
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
  package func value(
    of posting: PostingAnswer, _ sessions: SessionVersions?, _ zone: Zone
  ) -> Name? {
    switch self {
    case .product: posting.product
    case .account: posting.account
    case .currency: posting.currency
    case .environment: Name(posting.environment.text)
    case .storefront: posting.storefront ?? value(of: posting.event.event, sessions, zone)
    default: value(of: posting.event.event, sessions, zone)
    }
  }
}

/// The dimensions by which findings are grouped.
package enum FindingDimension: String, CaseIterable {
  case rule, severity, product, account, device, environment, day, month, appVersion, systemVersion
  case storefront

  /// Whether its value comes from the newest start of the session.
  package var needsSessions: Bool {
    switch self {
    case .appVersion, .systemVersion, .storefront: true
    default: false
    }
  }

  package func value(
    of finding: FindingAnswer, _ session: SessionVersions.Versions?, _ zone: Zone
  ) -> Name? {
    switch self {
    case .rule: Name(finding.rule.id)
    case .severity: Name(finding.severity.text)
    case .product: finding.product
    case .account: finding.account
    case .device: finding.device
    case .environment: Name(finding.environment.text)
    case .day: finding.occurredAt.dayName(zone)
    case .month: finding.occurredAt.monthName(zone)
    case .appVersion: session?.app.map { Name($0) }
    case .systemVersion: session?.system.map { Name($0) }
    case .storefront: session?.storefront.map { Name($0) }
    }
  }
}

extension Instant {
  /// The day in a zone, as `2026-02-01`.
  fileprivate func dayName(_ zone: Zone) -> Name { Name(zone.day(of: self)) }

  /// The month in a zone, as `2026-02`.
  fileprivate func monthName(_ zone: Zone) -> Name { Name(zone.month(of: self)) }

  /// The quarter in a zone, as `2026-Q1`.
  fileprivate func quarterName(_ zone: Zone) -> Name {
    let month = zone.month(of: self)
    let number = Int(month.suffix(2)) ?? 1
    return Name("\(month.dropLast(3))-Q\((number + 2) / 3)")
  }

  /// The year in a zone, as `2026`.
  fileprivate func yearName(_ zone: Zone) -> Name { Name(String(zone.month(of: self).dropLast(3))) }
}
