import ArgumentParser
import LedgerAnswers
import LedgerEvents

/// What an operator gives or takes back: an entitlement or a product.
struct GrantedThing: ParsableArguments {
  @Option(help: "An entitlement, such as pro.", transform: Parse.name)
  var entitlement: Name?

  @Option(
    help: "A product; it brings its entitlements with it.", completion: Completions.products,
    transform: Parse.name)
  var product: Name?

  func validate() throws {
    guard (entitlement == nil) != (product == nil) else {
      throw ValidationError("name either an --entitlement or a --product.")
    }
  }

  func put(into event: Event) -> Event {
    var event = event
    event.product = product
    return event.adding("entitlement", entitlement?.text)
  }
}

struct Grant: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Gives a customer an entitlement or a product.",
    usage: """
      daybook grant <account> (--entitlement <name> | --product <name>) --operator <who> \
      --reason <why> [<options>]
      """,
    discussion: """
      Appends entitlement.granted and prints what the customer gains. The grant lasts until \
      --until, or until it is revoked with `daybook withdraw`. On a terminal it says first what \
      changes, and asks; --yes and scripts are not asked. Example:

        daybook grant reader-1 --entitlement pro --operator kim --reason "ticket 4711"
      """)

  @Argument(
    help: "The customer's account.", completion: Completions.accounts, transform: Parse.name)
  var account: Name

  @OptionGroup var thing: GrantedThing

  @Option(
    help: ArgumentHelp("When it ends (default: it has no end).", valueName: "time"),
    transform: Parse.end)
  var until: Instant?

  @Flag(
    name: .customLong("allow-unknown"),
    help: "Grant a product that neither the catalogue nor any event names.")
  var allowsUnknown = false

  @OptionGroup var options: OperatorOptions

  func validate() throws { try options.requireReason() }

  func run() throws {
    let event = thing.put(into: options.event(.entitlementGranted, account: account))
      .adding("until", until?.rfc3339)
    try OperatorAct(
      options: options, event: event, accounts: [account],
      product: allowsUnknown ? nil : thing.product
    ).run()
  }
}

struct Withdraw: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Revokes what operators granted under a name.",
    usage: """
      daybook withdraw <account> (--entitlement <name> | --product <name>) --operator <who> \
      --reason <why> [<options>]
      """,
    discussion: """
      Appends entitlement.withdrawn: the operators' grants of that name end; purchases are not \
      affected. On a terminal it says first what changes, and asks; --yes and scripts are not \
      asked. Example:

        daybook withdraw reader-1 --entitlement pro --operator kim --reason "granted by mistake"
      """)

  @Argument(
    help: "The customer's account.", completion: Completions.accounts, transform: Parse.name)
  var account: Name

  @OptionGroup var thing: GrantedThing
  @OptionGroup var options: OperatorOptions

  func validate() throws { try options.requireReason() }

  func run() throws {
    let event = thing.put(into: options.event(.entitlementWithdrawn, account: account))
    try OperatorAct(options: options, event: event, accounts: [account]).run()
  }
}
