internal import LedgerEvents
internal import LedgerModel

extension ScenarioExpectation {
  /// What `findings` may name: the ids of all rules.
  public static let ruleIDs = Rule.allCases.map(\.id)
}

extension Scenario {
  mutating func readScript(_ field: ScenarioField) throws(ScenarioError) {
    for entry in try field.elements(max: ScenarioLimits.commandCountMax) {
      let command = try entry.object([
        "at", "on", "nth", "do", "device", "product", "quantity", "outcome", "version", "account",
        "allowed", "transaction", "download", "notification",
      ])
      let moment = try readMoment(command)
      if command["do"]?.value.string == "publish" {
        let version = try command.need("version", "the new content's version").name()
        let publish = Command.publish(
          product: try product(command), version: publishedVersions.count)
        publishedVersions.append(version)
        script.append(ScriptedCommand(moment, publish))
      } else {
        script.append(ScriptedCommand(moment, try readCommand(command)))
      }
    }
  }

  private func readMoment(_ entry: ScenarioObject) throws(ScenarioError) -> ScriptedCommand.Moment {
    if let field = entry["on"] {
      guard entry["at"] == nil else {
        throw ScenarioError(
          path: field.path, reason: "expected at or on, found both: leave one of them out")
      }
      let known = EventKind.allCases.filter { $0 != .unknown }
      let nth = try entry["nth"]?.integer(1...10_000) ?? 1
      guard let kind = known.first(where: { $0.text == field.value.string }) else {
        throw field.failure("a type of event, such as \"download.finished\"")
      }
      return .on(kind, nth: Int(nth))
    }
    return .at(try entry.need("at", "when it happens, such as \"PT5S\"").duration())
  }

  private func readCommand(_ entry: ScenarioObject) throws(ScenarioError) -> Command {
    let field = try entry.need("do", "what happens")
    let name = try field.text()
    if let command = try readAct(name, entry) { return command }
    guard let verb = Action.Verb(rawValue: name), verb.isFault else {
      throw field.failure("one of \(Self.commandNames.joined(separator: ", "))")
    }
    switch verb {
    case .stopBackend, .rejectReceipt, .rejectReceipts: return .fault(Action(verb))
    case .switchAccount, .switchAppleID:
      let account = try index(
        of: entry.need("account", "who signs in"), in: accounts, "account")
      return .fault(Action(verb, device: try device(entry), slot: account))
    case .repeatNotification:
      let number = try entry["notification"]?.integer(1...1_000) ?? 1
      return .fault(Action(verb, device: Int(number) - 1))
    default: break
    }
    let slot = try entry["transaction"]?.integer(1...1_000) ?? 1
    let part = try entry["download"]?.integer(1...1_000) ?? 1
    return .fault(
      Action(verb, device: try device(entry), slot: Int(slot) - 1, part: Int(part) - 1))
  }

  private func readAct(
    _ name: String, _ entry: ScenarioObject
  ) throws(ScenarioError) -> Command? {
    switch name {
    case "launch": return .launch(device: try device(entry))
    case "quit": return .quit(device: try device(entry))
    case "background": return .background(device: try device(entry))
    case "foreground": return .foreground(device: try device(entry))
    case "products": return .requestProducts(device: try device(entry))
    case "buy":
      return .buy(
        device: try device(entry), product: try product(entry),
        quantity: Int(try entry["quantity"]?.integer(1...10) ?? 1),
        outcome: try entry["outcome"]?.choice(PaymentOutcome.allCases, \.rawValue) ?? .purchased)
    case "approve": return .approve
    case "decline": return .decline
    case "restore": return .restore(device: try device(entry))
    case "pause": return .pauseDownloads(device: try device(entry))
    case "resume": return .resumeDownloads(device: try device(entry))
    case "cancel": return .cancelDownloads(device: try device(entry))
    case "add-observer": return .addObserver(device: try device(entry))
    case "remove-observer": return .removeObserver(device: try device(entry))
    case "payments":
      return .switchPayments(
        device: try device(entry),
        allowed: try entry.need("allowed", "whether payments are allowed").boolean())
    case "refund":
      let account = try entry["account"].map { (field) throws(ScenarioError) in
        try index(of: field, in: accounts, "account")
      }
      return .refund(product: try product(entry), account: account ?? 0)
    default: return nil
    }
  }

  private static let commandNames =
    [
      "launch", "quit", "background", "foreground", "products", "buy", "approve", "decline",
      "restore", "pause", "resume", "cancel", "add-observer", "remove-observer", "payments",
      "refund", "publish",
    ] + Action.Verb.allCases.filter { $0.isFault && $0 != .background }.map(\.rawValue)

  private func device(_ entry: ScenarioObject) throws(ScenarioError) -> Int {
    guard let field = entry["device"] else { return 0 }
    return try index(of: field, in: devices.map(\.name), "device")
  }

  private func product(_ entry: ScenarioObject) throws(ScenarioError) -> Int {
    guard let field = entry["product"] else {
      if products.count == 1 { return 0 }
      throw ScenarioError(
        path: "\(entry.field.path).product", reason: "expected a product, found nothing")
    }
    return try index(of: field, in: products.map(\.name), "product")
  }
}
