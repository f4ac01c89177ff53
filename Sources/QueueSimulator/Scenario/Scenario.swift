public import LedgerEvents

/// An incident as described by a file (`Schemas/scenario.schema.json`): what is sold, what happens
/// and goes wrong when, and the expected outcome.
///
/// A scenario either has a script, which the simulator plays, or the events of a recording.
public struct Scenario: Sendable {
  /// One line that says what it shows.
  public var title: String
  /// The public report that it comes from.
  public var source: String?
  /// What happened, in prose.
  public var story: String?
  /// When the virtual clock begins.
  public var start: Instant
  /// The seed of the delays of store, network and app.
  public var seed: UInt64
  /// The app's policy, by name.
  public var policy: String
  public var app: Name
  public var environment: StoreEnvironment?
  /// The customers; a device is signed in as one of them.
  public var accounts: [Name]
  public var devices: [ScenarioDevice]
  /// What is sold.
  public var products: [ScenarioProduct]
  /// Purchases made before the scenario begins, on a device that is not in it. A restore delivers
  /// them.
  public var owned: [Owned]
  /// Identifiers that the app asks for and the store does not know.
  public var invalidProducts: [Name]
  /// Whether the seller's catalogue is part of the recording, as `catalog.set`.
  public var setsCatalog: Bool
  /// Whether the store's server also notifies the backend of purchases.
  public var notifies: Bool
  /// The versions that the script's `publish` commands name, in order.
  public var publishedVersions: [Name]
  public var script: [ScriptedCommand]
  /// Everything that happens in order, as ``Action/text``; empty if the clock decides.
  public var schedule: [String]
  /// A recording instead of a script; it is played unchanged.
  public var events: [Event]
  /// The ledger's clock for each of `events`; `nil` if the event does not state it.
  public var recordedAt: [Instant?]
  /// The ids of the events that lead up to the others. What these events broke themselves is not
  /// part of the outcome.
  public var ground: [Name]
  /// The ids of those in `ground` that are not connected with the other events. What follows from
  /// them is not part of the outcome.
  public var background: [Name]
  public var expectation: ScenarioExpectation?

  public init(title: String, start: Instant, app: Name) {
    self.title = title
    self.start = start
    self.app = app
    seed = 1
    policy = AppPolicy.careful.name
    accounts = ["customer"]
    devices = [ScenarioDevice(name: "phone")]
    products = []
    owned = []
    invalidProducts = []
    setsCatalog = true
    notifies = false
    publishedVersions = []
    script = []
    schedule = []
    events = []
    recordedAt = []
    ground = []
    background = []
  }
}

extension Scenario {
  /// An earlier purchase, by indices.
  public struct Owned: Hashable, Sendable {
    public var product: Int
    public var account: Int

    public init(product: Int, account: Int) {
      self.product = product
      self.account = account
    }
  }
}

/// One installation of the app.
public struct ScenarioDevice: Hashable, Sendable {
  public var name: Name
  /// The index of its customer among the scenario's accounts.
  public var account: Int
  /// Whether this is the development simulator, where hosted content never arrives.
  public var isSimulator: Bool

  public init(name: Name, account: Int = 0, isSimulator: Bool = false) {
    self.name = name
    self.account = account
    self.isSimulator = isSimulator
  }
}

/// A product, as the seller set it up.
public struct ScenarioProduct: Hashable, Sendable {
  /// What the store sells.
  public enum Kind: String, CaseIterable, Sendable {
    case consumable
    case nonConsumable
  }

  public var name: Name
  public var kind: Kind
  public var title: String?
  public var entitlements: [Name]
  /// What one purchase of a consumable credits, by unit.
  public var grants: [Grant]
  /// What the store hosts for it.
  public var downloads: [Download]
  /// The version of the hosted content at the start.
  public var contentVersion: Name

  /// An amount of a unit.
  public struct Grant: Hashable, Sendable {
    public var unit: Name
    public var amount: Int64

    public init(unit: Name, amount: Int64) {
      self.unit = unit
      self.amount = amount
    }
  }

  /// A part of the hosted content.
  public struct Download: Hashable, Sendable {
    /// Unique within a transaction only: StoreKit's `contentIdentifier` is the same in each.
    public var name: Name
    /// Size in bytes.
    public var length: Int64

    public init(name: Name, length: Int64) {
      self.name = name
      self.length = length
    }
  }

  public init(name: Name, kind: Kind) {
    self.name = name
    self.kind = kind
    title = nil
    entitlements = []
    grants = []
    downloads = []
    contentVersion = "1.0"
  }
}

/// A command of the script with the moment at which it happens.
public struct ScriptedCommand: Hashable, Sendable {
  /// When it happens.
  public enum Moment: Hashable, Sendable {
    /// This many microseconds after the start, but not before the preceding command.
    case at(Int64)
    /// Directly after the *n*-th event of a type, counted from 1.
    case on(EventKind, nth: Int)
  }

  public var moment: Moment
  public var command: Command

  public init(_ moment: Moment, _ command: Command) {
    self.moment = moment
    self.command = command
  }
}

/// The expected outcome of a scenario.
public struct ScenarioExpectation: Sendable {
  /// Ids of the rules that are broken, each as often as it is.
  public var findings: [String]
  /// Ids of the rules of the second table that are broken at the newest event.
  public var findingsAtTheEnd: [String]
  /// States by account and product. For names of entitlements, the state is *active* or *none*.
  public var entitled: [Name: [Name: String]]
  /// Versions by account, device and product.
  public var installed: [Name: [Name: [Name: Name]]]
  /// Amounts by account and unit.
  public var balances: [Name: [Name: Int64]]
  /// Ids of the promises to customers that are broken when the run is over (``Promise``); `nil` if
  /// nothing is expected of them.
  public var brokenPromises: [String]?

  public init() {
    findings = []
    findingsAtTheEnd = []
    entitled = [:]
    installed = [:]
    balances = [:]
  }
}
