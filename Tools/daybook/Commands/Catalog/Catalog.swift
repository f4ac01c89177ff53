import ArgumentParser

struct Catalog: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalog",
    abstract: "The products: what they are, what they cost where, and what is wrong with them.",
    discussion: """
      Without a subcommand it shows the products: `catalog --storefront JPN` is `catalog show \
      --storefront JPN`, and `daybook catalog show --help` has its options: --history for how \
      prices changed, --invalid for identifiers that the store did not know, --payments for \
      devices that may not pay. Reads the ledger; only `set` writes to it. Example:

        daybook catalog --storefront JPN --format json
      """,
    subcommands: [CatalogShow.self, CatalogSet.self], defaultSubcommand: CatalogShow.self)
}
