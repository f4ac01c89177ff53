internal import LedgerEvents

extension Scenario {
  /// The scenario's document, formatted for people to read: one line for each member, and one for
  /// each element of a list.
  ///
  /// - Complexity: O(*n*) in its size.
  public var json: [UInt8] {
    var text = "{\n"
    let members = document
    for (index, member) in members.enumerated() {
      text += "  \(Self.quoted(member.name)): "
      if case .array(let elements) = member.value, !elements.isEmpty {
        let lines = elements.map { "    " + Self.line($0) }
        text += "[\n" + lines.joined(separator: ",\n") + "\n  ]"
      } else {
        text += Self.line(member.value)
      }
      text += index + 1 < members.count ? ",\n" : "\n"
    }
    return Array((text + "}\n").utf8)
  }

  fileprivate static func line(_ value: JSONValue) -> String {
    switch value {
    case .object(let members):
      "{"
        + members.map { "\(quoted($0.name)): \(line($0.value))" }.joined(separator: ", ") + "}"
    case .array(let elements): "[" + elements.map(line).joined(separator: ", ") + "]"
    default: String(decoding: value.json, as: UTF8.self)
    }
  }

  private static func quoted(_ text: String) -> String {
    String(decoding: JSONValue.string(text).json, as: UTF8.self)
  }

  private typealias Members = [(name: String, value: JSONValue)]

  private var document: Members {
    var members: Members = [("title", .string(title))]
    func add(_ name: String, _ text: String?) {
      if let text { members.append((name, .string(text))) }
    }
    add("source", source)
    add("story", story)
    add("start", start.rfc3339)
    members.append(("seed", .number(String(seed))))
    add("policy", policy)
    add("app", app.text)
    add("environment", environment?.text)
    members.append(("accounts", .array(accounts.map { .string($0.text) })))
    members.append(("devices", .array(devices.map { value(of: $0) })))
    if !products.isEmpty { members.append(("products", .array(products.map(\.value)))) }
    if !owned.isEmpty {
      members.append(
        (
          "owned",
          .array(
            owned.map {
              .object([
                ("product", .string(products[$0.product].name.text)),
                ("account", .string(accounts[$0.account].text)),
              ])
            })
        ))
    }
    if !invalidProducts.isEmpty {
      members.append(("invalidProducts", .array(invalidProducts.map { .string($0.text) })))
    }
    if !setsCatalog { members.append(("setsCatalog", .boolean(false))) }
    if notifies { members.append(("notifies", .boolean(true))) }
    if events.isEmpty {
      members.append(("script", .array(script.map { value(of: $0) })))
    } else {
      members.append(("events", .array(events.indices.map { eventValue($0) })))
      for (name, ids) in [("ground", ground), ("background", background)] where !ids.isEmpty {
        members.append((name, .array(ids.map { .string($0.text) })))
      }
    }
    if !schedule.isEmpty { members.append(("schedule", .array(schedule.map { .string($0) }))) }
    if let expectation { members.append(("expect", expectation.value)) }
    return members
  }

  private func value(of device: ScenarioDevice) -> JSONValue {
    if device.account == 0 && !device.isSimulator { return .string(device.name.text) }
    var members: Members = [
      ("name", .string(device.name.text)), ("account", .string(accounts[device.account].text)),
    ]
    if device.isSimulator { members.append(("simulator", .boolean(true))) }
    return .object(members)
  }

  private func eventValue(_ index: Int) -> JSONValue {
    // The event was decoded from JSON, so encoding it produces valid JSON.
    do throws(EventError) {
      let value = try JSONValue(json: EventEncoder().encode(events[index]))
      guard let time = recordedAt[index], case .object(var members) = value else { return value }
      members.append(("recordedAt", .string(time.rfc3339)))
      return .object(members)
    } catch {
      preconditionFailure("an event that was encoded does not read: \(error)")
    }
  }

  private func value(of entry: ScriptedCommand) -> JSONValue {
    var members: Members = []
    switch entry.moment {
    case .at(let time): members.append(("at", .string(Self.duration(time))))
    case .on(let kind, let nth):
      members.append(("on", .string(kind.text)))
      if nth > 1 { members.append(("nth", .number(String(nth)))) }
    }
    return .object(members + self.members(of: entry.command))
  }

  private static func duration(_ microseconds: Int64) -> String {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: Instant.second)
    if rest == 0 { return "PT\(seconds)S" }
    let digits = String(Instant.second + rest).dropFirst()
    return "PT\(seconds).\(digits)S"
  }

  private func members(of command: Command) -> Members {
    func act(_ name: String, _ device: Int) -> Members {
      [("do", .string(name))]
        + (devices.count > 1 ? [("device", .string(devices[device].name.text))] : [])
    }
    func product(_ index: Int) -> Members { [("product", .string(products[index].name.text))] }
    switch command {
    case .launch(let device): return act("launch", device)
    case .quit(let device): return act("quit", device)
    case .background(let device): return act("background", device)
    case .foreground(let device): return act("foreground", device)
    case .requestProducts(let device): return act("products", device)
    case .buy(let device, let index, let quantity, let outcome):
      var members = act("buy", device) + product(index)
      if quantity != 1 { members.append(("quantity", .number(String(quantity)))) }
      if outcome != .purchased { members.append(("outcome", .string(outcome.rawValue))) }
      return members
    case .approve: return [("do", .string("approve"))]
    case .decline: return [("do", .string("decline"))]
    case .restore(let device): return act("restore", device)
    case .pauseDownloads(let device): return act("pause", device)
    case .resumeDownloads(let device): return act("resume", device)
    case .cancelDownloads(let device): return act("cancel", device)
    case .addObserver(let device): return act("add-observer", device)
    case .removeObserver(let device): return act("remove-observer", device)
    case .publish(let index, let version):
      return [("do", .string("publish"))] + product(index)
        + [("version", .string(publishedVersions[version].text))]
    case .refund(let index, let account):
      return [("do", .string("refund"))] + product(index)
        + [("account", .string(accounts[account].text))]
    case .switchPayments(let device, let allowed):
      return act("payments", device) + [("allowed", .boolean(allowed))]
    case .fault(let fault): return members(of: fault)
    }
  }

  private func members(of fault: Action) -> Members {
    var members: Members = [("do", .string(fault.verb.rawValue))]
    if fault.verb == .repeatNotification {
      members.append(("notification", .number(String(fault.device + 1))))
      return members
    }
    if fault.verb.indexCount > 0 && devices.count > 1 {
      members.append(("device", .string(devices[Int(fault.device)].name.text)))
    }
    if fault.isAboutAccount {
      members.append(("account", .string(accounts[Int(fault.slot)].text)))
    } else if fault.verb.indexCount > 1 {
      members.append(("transaction", .number(String(fault.slot + 1))))
    }
    if fault.verb.indexCount > 2 { members.append(("download", .number(String(fault.part + 1)))) }
    return members
  }
}

extension ScenarioProduct {
  /// What a catalogue says about it: name, kind, title, entitlements and grants.
  var description: [(name: String, value: JSONValue)] {
    var members: [(name: String, value: JSONValue)] = [
      ("product", .string(name.text)), ("kind", .string(kind.rawValue)),
    ]
    if let title { members.append(("title", .string(title))) }
    if !entitlements.isEmpty {
      members.append(("entitlements", .array(entitlements.map { .string($0.text) })))
    }
    if !grants.isEmpty {
      members.append(
        ("grants", .object(grants.map { ($0.unit.text, .number(String($0.amount))) })))
    }
    return members
  }

  fileprivate var value: JSONValue {
    var members = description
    if !downloads.isEmpty {
      members.append(("contentVersion", .string(contentVersion.text)))
      members.append(
        (
          "downloads",
          .array(
            downloads.map {
              .object([
                ("download", .string($0.name.text)), ("length", .number(String($0.length))),
              ])
            })
        ))
    }
    return .object(members)
  }
}

extension ScenarioExpectation {
  /// The expectation as the member `expect` of a scenario, on one line.
  public var text: String { Scenario.line(value) }

  fileprivate var value: JSONValue {
    func names<Value>(
      _ values: [Name: Value], _ write: (Value) -> JSONValue
    ) -> JSONValue {
      .object(values.sorted { $0.key < $1.key }.map { ($0.key.text, write($0.value)) })
    }
    var members: [(name: String, value: JSONValue)] = [
      ("findings", .array(findings.map { .string($0) })),
      ("findingsAtTheEnd", .array(findingsAtTheEnd.map { .string($0) })),
      ("entitled", names(entitled) { names($0) { .string($0) } }),
      ("installed", names(installed) { names($0) { names($0) { .string($0.text) } } }),
    ]
    if !balances.isEmpty {
      members.append(("balances", names(balances) { names($0) { .number(String($0)) } }))
    }
    if let brokenPromises {
      members.append(("brokenPromises", .array(brokenPromises.map { .string($0) })))
    }
    return .object(members)
  }
}
