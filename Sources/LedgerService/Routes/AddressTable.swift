import Hummingbird
import Synchronization

/// The methods of each address, as the router knows them, for requests that it has no answer to.
final class AddressTable: Sendable {
  private struct Address {
    /// The parts of the path; nil for one that can be anything.
    let parts: [String?]
    var methods: [String]
  }

  private let addresses = Mutex<[Address]>([])

  /// Takes over what a router answers.
  func learn(_ router: Router<ServiceContext>) {
    var found: [String: Address] = [:]
    for route in router.routes {
      let parts = route.path.description.split(separator: "/").map { part in
        part.contains { ":{*".contains($0) } ? nil : String(part)
      }
      found[route.path.description, default: Address(parts: parts, methods: [])]
        .methods.append(route.method.rawValue)
    }
    addresses.withLock { $0 = Array(found.values) }
  }

  /// Why there is nothing for a method at a path.
  func absence(_ method: String, _ path: String) -> Problem {
    // As the router reads it, which does not look at empty parts.
    let parts = path.split(separator: "/").map(String.init)
    let methods = addresses.withLock { addresses in
      addresses.filter { address in
        address.parts.count == parts.count
          && zip(address.parts, parts).allSatisfy { $0 == nil || $0 == $1 }
      }.flatMap(\.methods)
    }
    guard !methods.isEmpty, !methods.contains(method) else {
      return Problem(.notFound, "There is nothing at this address: docs/service.md lists all.")
    }
    var problem = Problem(
      .methodNotAllowed,
      "This address takes \(Set(methods).sorted().joined(separator: ", ")) alone.")
    problem.allowed = Set(methods).sorted()
    return problem
  }
}
