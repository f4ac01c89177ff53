package import LedgerEvents
package import LedgerModel
package import LedgerStore

/// An event that is not in the ledger, as a fact after its end.
package struct ProposedFact {
  package let fact: Fact
  package let texts: ProposedTexts
  /// The numbers of the event's names. A name that the ledger does not know gets a temporary one.
  private let numbers: [NameUse: NameNumber]
  /// The numbers of the names that the ledger knows.
  package let known: [NameUse: NameNumber]

  /// - Complexity: O(*n*) in the event's names, with one look-up each.
  package init(_ event: Event, _ now: Instant, _ view: LedgerView) throws(LedgerError) {
    var lent: [NameNumber: Name] = [:]
    var numbers: [NameUse: NameNumber] = [:]
    var known: [NameUse: NameNumber] = [:]
    var ordered: [NameNumber] = []
    let firstFree = try view.log.lastNameNumber() + 1
    for use in event.nameUses {
      if numbers[use] == nil {
        if let found = try view.number(of: use.kind, use.name) {
          known[use] = found
          numbers[use] = found
        } else {
          // The number that the ledger would assign next.
          let number = firstFree + NameNumber(lent.count)
          lent[number] = use.name
          numbers[use] = number
        }
      }
      ordered.append(numbers[use] ?? 0)
    }
    let position = view.position + 1
    fact = Fact(event, position: position, recordedAt: now, numbers: ordered)
    texts = ProposedTexts(texts: view.texts, position: position, id: event.id, lent: lent)
    self.numbers = numbers
    self.known = known
  }

  /// The number of an account that the event names.
  package func number(of account: Name) -> NameNumber? {
    numbers[NameUse(kind: .account, name: account)]
  }
}

/// The log's texts, together with those of an event that is not in it.
package struct ProposedTexts: FactTexts {
  let texts: LogTexts
  let position: UInt64
  let id: Name
  /// Names that the ledger does not know, by their temporary numbers.
  let lent: [NameNumber: Name]

  package func id(ofPosition position: UInt64) -> Name {
    position == self.position ? id : texts.id(ofPosition: position)
  }

  package func text(of number: NameNumber) -> Name { lent[number] ?? texts.text(of: number) }
}

extension EntitlementsAnswer.Entry {
  /// Creates an entry with names in place of numbers.
  package init(_ entry: EntitlementEntry, texts: any FactTexts) {
    func text(_ number: NameNumber) -> Name? { number == 0 ? nil : texts.text(of: number) }
    self.init(
      product: text(entry.product), entitlement: entry.entitlement,
      entitlements: entry.entitlements, state: entry.state,
      since: Instant(microseconds: entry.since),
      expiresAt: entry.expiresAt.map(Instant.init(microseconds:)),
      originalTransaction: text(entry.original),
      transactions: entry.transactions.map { texts.text(of: $0) },
      isFamilyShared: entry.isFamilyShared, source: entry.source, environment: entry.environment)
  }
}
