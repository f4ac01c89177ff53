package import LedgerEvents
package import LedgerModel
internal import LedgerQueries
internal import ServiceAccess

/// Which messages a webhook gets. A list that is empty admits everything, but for ``types``.
package struct MessageFilter: Hashable, Sendable {
  /// How many values each list can have.
  package static let valuesMax = 100

  /// Types of messages, or patterns in which `*` stands for any run of characters.
  package var types: [String]
  /// The environments; production alone if nobody says.
  package var environments: [StoreEnvironment]
  /// Products and entitlements.
  package var products: [Name]
  /// Rules and severities, which are about findings alone.
  package var rules: [Rule]
  package var severities: [Rule.Severity]
  /// The bundle ids of the only apps that it is for. Whose customers these are, the log says
  /// (``AppCheck``).
  package var apps: [Name]

  package init(
    types: [String], environments: [StoreEnvironment] = [.production], products: [Name] = [],
    rules: [Rule] = [], severities: [Rule.Severity] = [], apps: [Name] = []
  ) {
    (self.types, self.environments, self.products) = (types, environments, products)
    (self.rules, self.severities, self.apps) = (rules, severities, apps)
  }

  /// Checks that there are types, that each pattern fits one at least, that the lists are not too
  /// long, and that apps have bundle ids.
  ///
  /// - Throws: ``WebhookError``: `invalid`.
  func check() throws(WebhookError) {
    guard !types.isEmpty else {
      throw WebhookError(
        .invalid,
        "a webhook needs the types of its messages, such as entitlement.changed, finding.opened or "
          + "transaction.refunded.")
    }
    for count in [types.count, environments.count, products.count, rules.count, severities.count]
    where count > Self.valuesMax {
      throw WebhookError(.invalid, "a list of more than \(Self.valuesMax) values is too long.")
    }
    for type in types where !MessageType.all.contains(where: TypePattern(type).matches) {
      let near = Spelling.nearest(to: type, among: MessageType.all, within: 3)
      throw WebhookError(
        .invalid,
        "no message has the type \"\(type)\"\(near.map { ": did you mean \($0)?" } ?? ". ")"
          + (near == nil ? "`daybook types` shows those of events." : ""))
    }
    do throws(TokenError) { try AppList.check(apps.map(\.text), of: "a webhook") } catch {
      throw WebhookError(.invalid, error.message)
    }
    if let rule = rules.first(where: MessageType.isNeverTold) {
      throw WebhookError(
        .invalid,
        "\(rule.id) is judged at a moment or over all customers, and is not told: ask for it with "
          + "`daybook findings`.")
    }
  }

  /// Whether a webhook wants messages of a type at all.
  func wants(type: String) -> Bool { types.contains { TypePattern($0).matches(type) } }

  /// Whether it wants any type that begins with a prefix.
  var wantsFindings: Bool { wants(type: MessageType.opened) || wants(type: MessageType.closed) }

  /// Whether it admits only some products.
  var wantsProducts: Bool { !products.isEmpty }

  /// Whether it admits a message, as far as the message itself says.
  func admits(_ message: Message) -> Bool {
    guard wants(type: message.type) else { return false }
    if let environment = message.environment, !environments.isEmpty,
      !environments.contains(environment)
    {
      return false
    }
    if !products.isEmpty, !products.contains(where: message.products.contains) { return false }
    guard let rule = message.rule else { return true }
    return (rules.isEmpty || rules.contains(rule))
      && (severities.isEmpty || severities.contains(rule.severity))
  }
}

/// The types of messages: those below, and the types of events.
package enum MessageType {
  /// What an account has is different from what was told before.
  package static let changed = "entitlement.changed"
  /// An event, or several together, break a rule.
  package static let opened = "finding.opened"
  /// Later events have shown that a rule was not broken.
  package static let closed = "finding.closed"
  /// Somebody wants to see whether messages arrive.
  package static let test = "webhook.test"

  /// Those that a webhook can ask for.
  package static let all = [changed, opened, closed] + EventKind.byText.keys.sorted()

  /// Whether findings of a rule are not told, because they come and go without an event of the
  /// customer.
  static func isNeverTold(_ rule: Rule) -> Bool {
    rule.isJudgedAtAMoment || rule == .versionNotIncreased || rule == .digestMismatch
  }
}

extension MessageFilter {
  /// The filter of words that somebody has written.
  ///
  /// - Throws: ``WebhookError``: `invalid`, with the nearest word that is known.
  package static func parsed(
    types: [String], environments: [String], products: [String], rules: [String],
    severities: [String], apps: [String]
  ) throws(WebhookError) -> MessageFilter {
    var filter = MessageFilter(
      types: types, products: products.map { Name($0) }, apps: apps.map { Name($0) })
    if !environments.isEmpty {
      filter.environments = try known(environments, "environment", StoreEnvironment.allCases) {
        $0.text
      }
    }
    filter.rules = try known(rules, "rule", Rule.allCases) { $0.id }
    filter.severities = try known(severities, "severity", Rule.Severity.allCases) { $0.text }
    return filter
  }

  private static func known<Value>(
    _ texts: [String], _ what: String, _ values: [Value], _ text: (Value) -> String
  ) throws(WebhookError) -> [Value] {
    var found: [Value] = []
    for wanted in texts {
      guard let value = values.first(where: { text($0) == wanted }) else {
        let near = Spelling.nearest(to: wanted, among: values.map(text), within: 3)
        throw WebhookError(
          .invalid,
          "there is no \(what) \"\(wanted)\"\(near.map { ": did you mean \($0)?" } ?? ".")")
      }
      found.append(value)
    }
    return found
  }
}
