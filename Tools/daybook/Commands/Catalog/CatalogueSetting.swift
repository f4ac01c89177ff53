import LedgerEvents
import LedgerQueries
import ProductCatalogue

/// A catalogue that is to be set: computes what it would change, and then appends it.
///
/// `catalog set` and `import storekit-config` both use it.
struct CatalogueSetting {
  let document: CatalogueDocument
  /// When it takes effect.
  let effective: Instant
  var actor: String?

  /// What setting the catalogue would change, and the position at which this was computed.
  struct Proposal {
    let plan: CataloguePlan
    let effect: CatalogueEffect
    /// How many customers lose a name that is active, or a part of a balance. What a product's
    /// first entry says about the product itself takes nothing: until then, it was only guessed.
    let losing: Int
    let position: UInt64

    /// What would be taken from customers, or from products that somebody has bought, as text;
    /// `nil` if nothing.
    var losses: String? {
      let lose = losing.counted("customer loses", "customers lose")
      let parts = [productLosses, losing > 0 ? "\(lose) what they have now" : nil]
        .compactMap(\.self)
      return parts.isEmpty ? nil : parts.joined(separator: ", and ")
    }

    private var productLosses: String? {
      let products = plan.takenFromBuyers(effect).map { product in
        var losses: [String] = []
        if !product.grantsTaken.isEmpty {
          losses.append("grants of \(product.grantsTaken.map(\.text).joined(separator: ", "))")
        }
        if product.endsHosting {
          losses.append("hosting, which the store leaves on once it is sold")
        }
        return "\(product.product) (\(losses.joined(separator: "; ")))"
      }
      if products.isEmpty { return nil }
      return "it takes away what customers have bought: \(products.joined(separator: ", "))"
    }
  }

  /// - Parameter file: The name of the file, for the message.
  /// - Throws: `InputProblem` if the time is further ahead than the ledger believes.
  func checkTime(now: Instant, file: String) throws {
    guard effective.microseconds <= now.microseconds + Instant.day else {
      throw InputProblem(
        "\(file): effective: expected a time up to 24 hours ahead, found \(effective.shown): the "
          + "ledger does not believe a clock further ahead; set it then")
    }
  }

  /// Computes what would change, and passes each change on to the report as it is found.
  func proposal(
    to ledger: Ledger, now: Instant, _ report: inout CatalogueReport
  ) throws(LedgerError) -> Proposal {
    var growing = report
    var losing = 0
    let proposal = try ledger.read { (view) throws(LedgerError) -> Proposal in
      let plan = try view.plan(setting: document, from: effective, operator: actor)
      growing.begin(plan)
      guard let event = plan.event else {
        return Proposal(plan: plan, effect: CatalogueEffect(), losing: 0, position: view.position)
      }
      let first = Set(plan.products.filter { $0.change == .added }.map(\.product))
      let effect = try view.differences(proposing: event, now: now) { difference in
        growing.add(difference)
        let isLosing =
          difference.lost.contains { !first.contains($0) }
          || difference.balances.contains { $0.after < $0.before }
        if isLosing { losing += 1 }
        return true
      }
      growing.count(effect)
      return Proposal(plan: plan, effect: effect, losing: losing, position: view.position)
    }
    report = growing
    return proposal
  }

  /// Appends the events if no other catalogue has been set since the difference was computed.
  static func append(
    _ events: [Event], after position: UInt64, to ledger: Ledger
  ) throws -> AppendResult {
    let filter = EventFilter(type: EventType(.catalogSet))
    do throws(LedgerError) {
      let result = try ledger.appendAndWait(
        events.map { EventInput(event: $0) },
        options: AppendOptions(condition: .noEvent(matching: filter, after: position)))
      try ledger.foldBeforeLeaving()
      return result
    } catch {
      guard error.code == .conditionFailed else { throw error }
      throw InputProblem(
        "another catalogue was set meanwhile: run it again", exitCode: ExitStatus.tryAgain)
    }
  }
}
