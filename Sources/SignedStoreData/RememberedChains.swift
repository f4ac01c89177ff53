internal import Synchronization

/// The chains that a verifier has verified, by the header that carries them, so that the same
/// certificates are not verified again for each signature.
///
/// A chain is remembered without its time: the validity of its certificates is checked for each
/// signature. Only headers that were signed correctly get in here, so nobody else can fill it.
final class RememberedChains: Sendable {
  private struct Memory {
    var chains: [Header: SigningChain] = [:]
    /// The headers from the oldest to the newest.
    var order: [Header] = []
  }

  /// A header as a key. It is hashed in words of eight bytes: an array hashes its bytes one by one,
  /// which takes longer than everything but the signature.
  private struct Header: Hashable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) {
      hasher.combine(bytes.count)
      let span = bytes.span
      var at = 0
      while at &+ 8 <= span.count {
        var word: UInt64 = 0
        for offset in 0..<8 { word = word << 8 | UInt64(span[at &+ offset]) }
        hasher.combine(word)
        at &+= 8
      }
    }
  }

  private let memory = Mutex(Memory())

  /// - Complexity: O(*n*) in the length of the header.
  func chain(for header: [UInt8]) -> SigningChain? {
    memory.withLock { $0.chains[Header(bytes: header)] }
  }

  /// Remembers a chain. The oldest is forgotten if there are too many.
  ///
  /// - Complexity: O(*n*) in the length of the header and the number of chains.
  func remember(_ chain: SigningChain, for header: [UInt8]) {
    let header = Header(bytes: header)
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
