import LedgerEvents

/// Random events for many accounts with separate names, for large ledgers. Accounts seldom meet
/// (through a shared name, a link or a transfer), so units stay small.
struct SparseHistory {
  private var maker: EventMaker
  private let accounts: Int
  private let kinds: [EventKind]

  init(seed: UInt64, accounts: Int) {
    var random = SeededRandom(seed: seed)
    self.accounts = accounts
    let pool = NamePool.sparse(account: 0, of: accounts, &random)
    maker = EventMaker(random: random, pool: pool, start: 1_704_067_200 * Instant.second)
    maker.environments = Array(repeating: nil, count: 30) + [.production, .sandbox]
    var kinds: [EventKind] = []
    for kind in EventKind.drawn {
      switch kind {
      case .downloadProgressed: kinds += Array(repeating: kind, count: 40)
      case .transactionPurchased, .transactionFinished, .subscriptionRenewed, .sessionStarted:
        kinds += Array(repeating: kind, count: 12)
      case .downloadRequested, .downloadFinished, .contentInstalled, .contentInstallStarted:
        kinds += Array(repeating: kind, count: 6)
      case .accountLinked, .accountTransferred, .accountErased, .catalogSet: break
      default: kinds.append(kind)
      }
    }
    self.kinds = kinds
  }

  mutating func events(count: Int) -> [RecordedEvent] {
    var drafts: [Draft] = []
    drafts.reserveCapacity(count)
    while drafts.count < count {
      maker.now += Int64(maker.random.below(400)) * Instant.second
      let account = maker.random.below(accounts)
      maker.pool = NamePool.sparse(account: account, of: accounts, &maker.random)
      drafts.append(maker.draft(kind(after: drafts.count)))
    }
    return Arrival.arranged(drafts, &maker.random)
  }

  private mutating func kind(after count: Int) -> EventKind {
    if count < 20 || maker.maybe(1, in: 20_000) { return .catalogSet }
    if maker.maybe(1, in: 500) {
      return maker.random.one(of: [.accountLinked, .accountTransferred, .accountErased])
    }
    return maker.random.one(of: kinds)
  }
}
