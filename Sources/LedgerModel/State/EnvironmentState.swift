import LedgerEvents

/// The state of a unit in one environment. It consists of flat tables that refer to each other by
/// index, so it can be copied, compared and stored without following pointers.
struct EnvironmentState: Sendable {
  let environment: StoreEnvironment
  /// Believed `occurredAt` of the newest fact that counts here.
  var newest: Int64 = .min

  /// In the order of their first events.
  var transactions: StateTable<TransactionState> = []
  var transactionIndex = KeyIndex()
  var chains: StateTable<ChainState> = []
  var chainIndex = KeyIndex()
  /// By original: the transaction whose owner also holds the chain's transactions that state no
  /// account.
  var chainOwners: StateTable<Int> = []
  var chainOwnerIndex = KeyIndex()
  /// The originals of the chains for which a fact states an expiry.
  var expiringIndex = KeyIndex()
  var deliveries: StateTable<DeliveryState> = []
  var downloads: StateTable<DownloadState> = []
  var installs: StateTable<InstallState> = []
  var reports: StateTable<ReportState> = []
  var devices: StateTable<DeviceState> = []
  var deviceIndex = KeyIndex()
  var accounts: StateTable<AccountState> = []
  var accountIndex = KeyIndex()
  /// By customer: the believed `occurredAt` of its newest event.
  var customers: StateTable<Int64> = []
  var contents: StateTable<ContentState> = []
  var grants: [GrantState] = []
  var consumptions: [ConsumptionState] = []
  var failures: [FailureState] = []
  var payments: [PaymentState] = []
  var closings: [ClosingState] = []
  /// Transactions whose purchase could not be fulfilled, according to the newest report.
  var refusals: [OutcomeState] = []
  /// Transactions that were fulfilled and have no purchase fact.
  var gifts: [OutcomeState] = []
  var repeats: [RepeatState] = []
  var sessions: StateTable<SessionClock> = []
  var sessionIndex = KeyIndex()
  var findings: StateTable<Finding> = []
  /// `arrived-late`, in the order of arrival.
  var lateFindings: StateTable<Finding> = []
  var versions: StateTable<VersionObservation> = []
  var published: StateTable<PublishedVersion> = []
  var digests: StateTable<InstalledDigest> = []
  var couplings: [CouplingUse] = []
  /// The fold read the timelines of the absent device.
  var asksAbsentDevice = false
  /// Derived from the tables, and never stored.
  var indexes = FoldIndexes()
  /// Dated store facts of the batch that is being folded; empty between batches.
  var arrivals: [Arrival] = []

  /// A dated store fact, to be looked at in the order of arrival.
  struct Arrival: Sendable {
    var chain: Int
    var storeTime: Int64
    var finding: Finding
  }

  init(environment: StoreEnvironment) { self.environment = environment }
}

extension EnvironmentState {
  /// Exchanges the tables, and what is derived from them, with those of another state.
  mutating func exchangeRows(with other: inout EnvironmentState) {
    swap(&transactions, &other.transactions)
    swap(&transactionIndex, &other.transactionIndex)
    swap(&chains, &other.chains)
    swap(&chainIndex, &other.chainIndex)
    swap(&chainOwners, &other.chainOwners)
    swap(&chainOwnerIndex, &other.chainOwnerIndex)
    swap(&expiringIndex, &other.expiringIndex)
    swap(&deliveries, &other.deliveries)
    swap(&downloads, &other.downloads)
    swap(&installs, &other.installs)
    swap(&reports, &other.reports)
    swap(&devices, &other.devices)
    swap(&deviceIndex, &other.deviceIndex)
    swap(&accounts, &other.accounts)
    swap(&accountIndex, &other.accountIndex)
    swap(&customers, &other.customers)
    swap(&contents, &other.contents)
    swap(&sessions, &other.sessions)
    swap(&sessionIndex, &other.sessionIndex)
    swap(&findings, &other.findings)
    swap(&lateFindings, &other.lateFindings)
    swap(&versions, &other.versions)
    swap(&published, &other.published)
    swap(&digests, &other.digests)
    swap(&indexes, &other.indexes)
  }

  /// Calls `body` with the indexes whose keys are in rows.
  mutating func eachDerivedIndex(_ body: (inout KeyIndex) -> Void) {
    body(&transactionIndex)
    body(&chainIndex)
    body(&deviceIndex)
    body(&accountIndex)
  }
}
