internal import LedgerEvents
internal import LedgerModel
internal import LedgerQueries

/// The cells of a row, in the order of its table's columns.
enum ExportRow {
  static func event(_ recorded: RecordedEvent) -> [ExportCell] {
    let event = recorded.event
    return [
      ExportCell(position: recorded.position), ExportCell(recorded.recordedAt),
      ExportCell(event.occurredAt), ExportCell(event.id), .text(event.type.text),
      ExportCell(event.source?.text), ExportCell(event.environment?.text), ExportCell(event.app),
      ExportCell(event.account), ExportCell(event.device), ExportCell(event.session),
      ExportCell(event.sequence), ExportCell(event.payment), ExportCell(event.product),
      ExportCell(event.transaction), ExportCell(event.originalTransaction),
      ExportCell(event.download),
      ExportCell(event.data.string("price").flatMap { ExactDecimal($0) }),
      ExportCell(event.data.string("currency")), ExportCell(event.data.integer("quantity")),
      ExportCell(event.data.string("storefront")),
      .json(String(decoding: event.data.json, as: UTF8.self)),
    ]
  }

  static func entitlement(
    _ entry: EntitlementsAnswer.Entry, of customer: UnitContents.Customer
  ) -> [ExportCell] {
    let ownership = entry.isFamilyShared.map { $0 ? "familyShared" : "purchased" }
    let name = entry.product ?? entry.entitlement
    return [
      .text(entry.environment.text), ExportCell(customer.accounts.first),
      ExportCell(entry.product), ExportCell(entry.entitlement), .text(entry.state.text),
      .boolean(name.map { customer.active.contains($0) } ?? false), ExportCell(entry.since),
      ExportCell(entry.expiresAt), .text(entry.source == .operator ? "operator" : "store"),
      ExportCell(ownership),
      ExportCell(entry.originalTransaction), ExportCell(list: entry.entitlements),
      ExportCell(list: entry.transactions),
    ]
  }

  static func installed(
    _ content: InstalledAnswer, of customer: UnitContents.Customer
  ) -> [ExportCell] {
    [
      .text(content.environment.text), ExportCell(customer.accounts.first),
      ExportCell(content.device), ExportCell(content.product), ExportCell(content.contentVersion),
      ExportCell(content.available), .boolean(content.updateAvailable),
      ExportCell(content.installedAt), ExportCell(content.path),
    ]
  }

  static func transaction(
    _ entry: TransactionsAnswer.Entry, sale: PostingAnswer?
  ) -> [ExportCell] {
    let state = entry.reported.flatMap { $0.text.split(separator: ".").last.map(String.init) }
    return [
      .text(entry.environment.text), ExportCell(entry.transaction), ExportCell(entry.payment),
      ExportCell(entry.originalTransaction), ExportCell(entry.product), ExportCell(entry.account),
      ExportCell(state), ExportCell(entry.reportedAt), .text(entry.phase.text),
      ExportCell(entry.openedAt), .integer(Int64(entry.finishCount)),
      .boolean(entry.isRemovedUnfinished), ExportCell(entry.purchasedAt),
      .text(entry.isFamilyShared ? "familyShared" : "purchased"),
      ExportCell(entry.reversal?.text), ExportCell(sale?.quantity), ExportCell(sale?.price),
      ExportCell(sale?.price?.millionths), ExportCell(sale?.currency),
      ExportCell(sale?.storefront),
    ]
  }

  static func posting(_ posting: PostingAnswer) -> [ExportCell] {
    let event = posting.event.event
    return [
      ExportCell(position: posting.event.position), ExportCell(event.occurredAt),
      ExportCell(posting.event.recordedAt), .text(posting.kind.text),
      .text(posting.environment.text), ExportCell(posting.transaction),
      ExportCell(posting.originalTransaction), ExportCell(posting.product),
      ExportCell(posting.account), .integer(posting.quantity), ExportCell(posting.price),
      ExportCell(posting.amount), ExportCell(posting.amount?.millionths),
      ExportCell(posting.currency), ExportCell(posting.storefront), .text(event.type.text),
      ExportCell(event.source?.text), ExportCell(event.id),
    ]
  }

  static func finding(_ finding: FindingAnswer) -> [ExportCell] {
    [
      ExportCell(position: finding.position), ExportCell(finding.occurredAt),
      .text(finding.rule.id), .text(finding.severity.text), .text(finding.environment.text),
      ExportCell(finding.account), ExportCell(finding.device), ExportCell(finding.transaction),
      ExportCell(finding.product), ExportCell(finding.download), ExportCell(finding.detail),
    ]
  }
}
