internal import Synchronization

/// The chains that a verifier has verified, by the header that carries them, so that the same
/// certificates are not verified again for each signature.
///
/// A chain is remembered without its time: the validity of its certificates is checked for each
/// signature. Only headers that were signed correctly get in here, so nobody else can fill it.
final class RememberedChains: Sendable {
  private struct Memory {
    var chains: [[UInt8]: SigningChain] = [:]
    /// The headers from the oldest to the newest.
    var order: [[UInt8]] = []
  }

  private let memory = Mutex(Memory())

  /// - Complexity: O(*n*) in the length of the header.
  func chain(for header: [UInt8]) -> SigningChain? {
    memory.withLock { $0.chains[header] }
  }

  /// Remembers a chain. The oldest is forgotten if there are too many.
  ///
  /// - Complexity: O(*n*) in the length of the header and the number of chains.
  func remember(_ chain: SigningChain, for header: [UInt8]) {
    memory.withLock { memory in
      guard memory.chains.updateValue(chain, forKey: header) == nil else { return }
      memory.order.append(header)
      if memory.order.count > rememberedChainsMax {
        memory.chains[memory.order.removeFirst()] = nil
      }
      assert(memory.chains.count == memory.order.count)
    }
  }

  /// The number of remembered chains.
  var count: Int { memory.withLock { $0.chains.count } }
}
