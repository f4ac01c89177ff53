internal import LMDB
internal import LedgerEvents

/// The part of an event that may identify a person. The caller's thread commits to it and encrypts
/// it, before it has a slot.
struct PersonalPart: Sendable {
  /// The commitment that the record contains.
  let commitment: [UInt8]
  /// The event's own secret. The row contains it combined by XOR with its slot.
  let secret: Secret
  private let sealed: [UInt8]

  /// Creates the personal part of `event`; `nil` if it has none.
  init?(of event: Event, _ secrets: inout SecretSource?) throws(LedgerError) {
    let members = event.personalMembers
    guard !members.isEmpty else { return nil }
    var source = secrets ?? SecretSource()
    secret = source.next()
    secrets = source
    commitment = PersonalPart.commitment(to: members, secret)
    sealed = try secret.seal(EventData(members: members).json, commitment: commitment)
  }

  /// The length of the row in bytes.
  var byteCount: Int { SealedData.headByteCount + sealed.count }

  /// Returns the row of the table `personal`.
  ///
  /// - Parameters:
  ///   - slot: The slot.
  ///   - pad: The secret in the slot; `nil` if the part is to be forgotten.
  func row(_ slot: Slot, pad: Secret?) -> [UInt8] {
    var row: [UInt8] = []
    slot.append(to: &row)
    guard let pad else { return row }
    row.append(contentsOf: Secret(secret.bytes, unwrappedWith: pad).bytes)
    row.append(contentsOf: sealed)
    return row
  }

  /// Returns a record's commitment to the members in this JSON, or `nil` if the JSON is invalid.
  static func commitment(to json: [UInt8], _ secret: Secret) -> [UInt8]? {
    do throws(RecordError) {
      return commitment(to: try EventData(personal: json).members, secret)
    } catch { return nil }
  }

  /// Returns a record's commitment to these members.
  static func commitment(to members: [EventData.Member], _ secret: Secret) -> [UInt8] {
    Commitment.data(
      members.enumerated().map { index, member in
        Commitment.member(member, nonce: Commitment.nonce(ofMember: index, seed: secret.nonce))
      })
  }
}

/// A row of the table `personal`.
///
/// ```
/// 0   4  slot, big-endian; the highest bit: never had a key, and nothing follows
/// 4  32  the event's own secret, combined by XOR with the slot
/// 36     the personal members as one JSON object, encrypted
/// ```
package struct SealedData: ~Escapable {
  static let headByteCount = 4 + Secret.byteCount

  private let row: Span<UInt8>
  package let slot: Slot

  /// Reads a row; `nil` if the bytes are not such a row.
  @_lifetime(copy row)
  package init?(_ row: Span<UInt8>) {
    guard row.count >= 4 else { return nil }
    slot = Slot(row.bigEndianHalf(at: 0))
    guard slot.isForgotten ? row.count == 4 : row.count > SealedData.headByteCount else {
      return nil
    }
    self.row = row
  }

  /// Returns the event's own secret.
  ///
  /// - Parameter pad: The secret in the slot.
  /// - Precondition: The slot is not a forgotten one.
  func secret(_ pad: Secret) -> Secret {
    let wrapped = [UInt8](copying: row.extracting(4..<SealedData.headByteCount))
    return Secret(wrapped, unwrappedWith: pad)
  }

  /// Returns the members' JSON, or `nil` if `secret` does not decrypt it.
  package func json(_ secret: Secret, commitment: [UInt8]) -> [UInt8]? {
    let sealed = [UInt8](copying: row.extracting(SealedData.headByteCount..<row.count))
    return secret.open(sealed, commitment: commitment)
  }
}

/// Creates secrets that nobody can guess, from one random seed per batch.
struct SecretSource {
  private let seed: [UInt8]
  private var count: UInt64 = 0

  init() {
    var random = SystemRandom()
    seed = [UInt8](random: 32, using: &random)
  }

  /// Returns the next secret: SHA-256(seed ‖ counter).
  mutating func next() -> Secret {
    count += 1
    return Secret(TreeHash(hashing: (seed + [UInt8](bigEndianWord: count)).span).bytes)
  }
}
