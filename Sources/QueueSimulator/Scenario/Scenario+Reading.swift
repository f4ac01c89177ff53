internal import LedgerEvents

extension Scenario {
  /// Reads a scenario's document (`Schemas/scenario.schema.json`).
  ///
  /// - Throws: ``ScenarioError`` with the path in the document, what was expected and what was
  ///   found.
  /// - Complexity: O(*n*) in the size of `json`.
  public init(json: [UInt8]) throws(ScenarioError) {
    guard json.count <= ScenarioLimits.sizeBytesMax else {
      throw ScenarioError(
        reason: "expected at most \(ScenarioLimits.sizeBytesMax) bytes, found \(json.count)")
    }
    let value: JSONValue
    do throws(EventError) { value = try JSONValue(document: json) } catch {
      throw ScenarioError(
        reason: "line \(error.line), column \(error.column): \(error.reason)")
    }
    let document = try ScenarioField(value: value, path: "").object([
      "title", "source", "story", "start", "seed", "policy", "app", "environment", "accounts",
      "devices", "products", "owned", "invalidProducts", "setsCatalog", "notifies", "script",
      "schedule", "events", "ground", "background", "expect",
    ])
    self.init(
      title: try document.need("title", "what the scenario shows, in a line").text(),
      start: try document["start"]?.time() ?? Self.defaultStart,
      app: try document["app"]?.name() ?? "com.example.app")
    source = try document["source"]?.text()
    story = try document["story"]?.text()
    if let field = document["seed"] { seed = UInt64(try field.integer(0...Int64.max)) }
    if let field = document["policy"] {
      policy = try field.choice(AppPolicy.all, \.name).name
    }
    environment = try document["environment"]?.choice(StoreEnvironment.allCases, \.text)
    try readCast(document)
    setsCatalog = try document["setsCatalog"]?.boolean() ?? true
    notifies = try document["notifies"]?.boolean() ?? false
    if let field = document["script"] {
      guard document["events"] == nil else {
        throw ScenarioError(
          path: "events", reason: "expected a script or events, found both: leave one of them out")
      }
      try readScript(field)
    } else if let field = document["events"] {
      try readEvents(field)
      ground = try readIDs(document["ground"], of: events.map(\.id), "event of this recording")
      background = try readIDs(document["background"], of: ground, "event of the ground")
    } else {
      throw ScenarioError(
        path: "script", reason: "expected a script of commands, or events, found neither")
    }
    if let field = document["schedule"] { try readSchedule(field) }
    if let field = document["expect"] {
      expectation = try ScenarioExpectation(field)
      guard events.isEmpty || expectation?.brokenPromises == nil else {
        throw ScenarioError(
          path: "expect.brokenPromises",
          reason: "expected a script: a recording does not say what the store sold, so that no "
            + "promise can be checked")
      }
    }
  }

  /// 2026-01-05T09:00:00Z, a Monday.
  private static let defaultStart = Instant(microseconds: 1_767_603_600_000_000)

  private mutating func readCast(_ document: ScenarioObject) throws(ScenarioError) {
    if let field = document["accounts"] {
      accounts = []
      for account in try field.elements(max: ScenarioLimits.accountCountMax) {
        accounts.append(try account.name())
      }
      guard !accounts.isEmpty else { throw field.failure("at least one account") }
      try refuseRepeated(accounts, field)
    }
    if let field = document["devices"] {
      devices = []
      for device in try field.elements(max: ScenarioLimits.deviceCountMax) {
        devices.append(try readDevice(device))
      }
      guard !devices.isEmpty else { throw field.failure("at least one device") }
      try refuseRepeated(devices.map(\.name), field)
    }
    if let field = document["products"] {
      for product in try field.elements(max: ScenarioLimits.productCountMax) {
        products.append(try ScenarioProduct(product))
      }
      try refuseRepeated(products.map(\.name), field)
    }
    if let field = document["owned"] {
      for purchase in try field.elements(max: ScenarioLimits.commandCountMax) {
        owned.append(try readOwned(purchase))
      }
    }
    if let field = document["invalidProducts"] {
      for product in try field.elements(max: ScenarioLimits.productCountMax) {
        invalidProducts.append(try product.name())
      }
      try refuseRepeated(products.map(\.name) + invalidProducts, field)
    }
  }

  private func readOwned(_ field: ScenarioField) throws(ScenarioError) -> Owned {
    let purchase = try field.object(["product", "account"])
    let product = try index(
      of: try purchase.need("product", "what was bought"), in: products.map(\.name), "product")
    guard products[product].kind == .nonConsumable else {
      throw purchase.field.failure("a non-consumable product: no other is restored")
    }
    let account = try purchase["account"].map { (field) throws(ScenarioError) in
      try index(of: field, in: accounts, "account")
    }
    return Owned(product: product, account: account ?? 0)
  }

  private func readDevice(_ field: ScenarioField) throws(ScenarioError) -> ScenarioDevice {
    if field.value.string != nil { return ScenarioDevice(name: try field.name()) }
    let device = try field.object(["name", "account", "simulator"])
    return ScenarioDevice(
      name: try device.need("name", "the device's name").name(),
      account: try device["account"].map { (field) throws(ScenarioError) in
        try index(of: field, in: accounts, "account")
      } ?? 0,
      isSimulator: try device["simulator"]?.boolean() ?? false)
  }

  /// The index in `names` of the name that a field states.
  func index(
    of field: ScenarioField, in names: [Name], _ what: String
  ) throws(ScenarioError) -> Int {
    let name = try field.name()
    guard let index = names.firstIndex(of: name) else {
      let known = names.map(\.text).joined(separator: ", ")
      throw field.failure(
        known.isEmpty ? "the name of a \(what); none is declared" : "a \(what), one of \(known)")
    }
    return index
  }

  private mutating func readSchedule(_ field: ScenarioField) throws(ScenarioError) {
    for action in try field.elements(max: ScenarioLimits.actionCountMax) {
      let text = try action.text()
      guard Action(text) != nil else {
        throw action.failure("an action, such as \"app 0 1\" or \"kill 0\"")
      }
      schedule.append(text)
    }
  }

  private mutating func readEvents(_ field: ScenarioField) throws(ScenarioError) {
    for event in try field.elements(max: ScenarioLimits.eventCountMax) {
      let input: EventInput
      do throws(EventError) {
        input = try EventDecoder().decode(line: event.value.json, number: 0)
      } catch {
        let path = error.field.isEmpty ? event.path : "\(event.path).\(error.field)"
        throw ScenarioError(path: path, reason: error.reason)
      }
      events.append(input.event)
      recordedAt.append(input.recordedAt)
    }
  }
}

extension Scenario {
  /// Reads unique ids from a list of known ones.
  private func readIDs(
    _ field: ScenarioField?, of known: [Name], _ what: String
  ) throws(ScenarioError) -> [Name] {
    guard let field else { return [] }
    let known = Set(known)
    var ids: [Name] = []
    for element in try field.elements(max: ScenarioLimits.eventCountMax) {
      let id = try element.name()
      guard known.contains(id) else { throw element.failure("the id of an \(what)") }
      ids.append(id)
    }
    try refuseRepeated(ids, field)
    return ids
  }
}

/// Names must be unique.
private func refuseRepeated(
  _ names: [Name], _ field: ScenarioField
) throws(ScenarioError) {
  var seen: Set<Name> = []
  for name in names where !seen.insert(name).inserted {
    throw ScenarioError(
      path: field.path, reason: "expected each name once, found \"\(name)\" again")
  }
}

extension ScenarioProduct {
  init(_ field: ScenarioField) throws(ScenarioError) {
    let product = try field.object([
      "product", "kind", "title", "entitlements", "grants", "downloads", "contentVersion",
    ])
    self.init(
      name: try product.need("product", "the product's identifier").name(),
      kind: try product["kind"]?.choice(Kind.allCases, \.rawValue) ?? .nonConsumable)
    title = try product["title"]?.text()
    if let field = product["entitlements"] {
      for name in try field.elements(max: 64) { entitlements.append(try name.name()) }
    }
    if let field = product["grants"] {
      for (unit, amount) in try field.members() {
        grants.append(Grant(unit: Name(unit), amount: try amount.integer(1...1_000_000_000)))
      }
    }
    if let field = product["downloads"] {
      for download in try field.elements(max: ScenarioLimits.downloadCountMax) {
        downloads.append(try Download(download))
      }
      try refuseRepeated(downloads.map(\.name), field)
      if kind == .consumable && !downloads.isEmpty {
        throw field.failure("none: the store hosts content for non-consumable products only")
      }
    }
    if let field = product["contentVersion"] { contentVersion = try field.name() }
  }
}

extension ScenarioProduct.Download {
  init(_ field: ScenarioField) throws(ScenarioError) {
    if field.value.string != nil {
      self.init(name: try field.name(), length: 40_000_000)
      return
    }
    let download = try field.object(["download", "length"])
    self.init(
      name: try download.need("download", "the download's identifier").name(),
      length: try download["length"]?.integer(1...(2 << 30)) ?? 40_000_000)
  }
}

extension ScenarioExpectation {
  init(_ field: ScenarioField) throws(ScenarioError) {
    self.init()
    let expected = try field.object([
      "findings", "findingsAtTheEnd", "entitled", "installed", "balances", "brokenPromises",
    ])
    findings = try Self.rules(expected["findings"])
    findingsAtTheEnd = try Self.rules(expected["findingsAtTheEnd"])
    for (account, field) in try expected["entitled"]?.members() ?? [] {
      for (name, state) in try field.members() {
        entitled[Name(account), default: [:]][Name(name)] = try state.choice(Self.states) { $0 }
      }
    }
    for (account, field) in try expected["installed"]?.members() ?? [] {
      for (device, field) in try field.members() {
        for (product, version) in try field.members() {
          installed[Name(account), default: [:]][Name(device), default: [:]][Name(product)] =
            try version.name()
        }
      }
    }
    for (account, field) in try expected["balances"]?.members() ?? [] {
      for (unit, amount) in try field.members() {
        balances[Name(account), default: [:]][Name(unit)] = try amount.integer(
          Int64.min...Int64.max)
      }
    }
    if let field = expected["brokenPromises"] {
      var promises: [String] = []
      for promise in try field.elements(max: Promise.allCases.count) {
        promises.append(try promise.choice(Promise.allCases, \.id).id)
      }
      brokenPromises = promises.sorted()
    }
  }

  private static let states = [
    "none", "pending", "active", "gracePeriod", "billingRetry", "expired", "refunded", "revoked",
  ]

  private static func rules(_ field: ScenarioField?) throws(ScenarioError) -> [String] {
    var rules: [String] = []
    for rule in try field?.elements(max: ScenarioLimits.eventCountMax) ?? [] {
      rules.append(try rule.choice(ruleIDs) { $0 })
    }
    return rules.sorted()
  }
}
