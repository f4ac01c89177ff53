internal import LMDB
package import LedgerEvents

/// A name, with what proves that the tree contains it.
package struct NameDisclosure: Hashable, Sendable {
  package let number: NameNumber
  package let kind: NameKind
  package let text: Name
  /// The position of the event whose leaf introduces it.
  package let position: UInt64
  /// The nonce of the commitment in the leaf (``Commitment/name(_:_:nonce:)``); `nil` for a name
  /// that does not identify a person, because its leaf contains the text.
  package let nonce: [UInt8]?
  /// The hash with which a person's name is looked up, to which the leaf commits as well; `nil` for
  /// a name that does not identify a person.
  package let hash: [UInt8]?
}

/// A personal member of an event's `data`, with what proves that its record commits to it.
package struct MemberDisclosure: Sendable {
  package let member: EventData.Member
  /// The nonce of ``commitment``.
  package let nonce: [UInt8]
  /// The commitment to the member. The record's commitment covers those of all members, in order.
  package let commitment: [UInt8]
}

extension LogView {
  /// Returns a name so that it can be proven to somebody who has only leaves.
  ///
  /// - Returns: `nil` if its key has been destroyed or is missing.
  /// - Complexity: O(log² *n*).
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`, `io`.
  package func disclosure(of number: NameNumber) throws(LedgerError) -> NameDisclosure? {
    let introduced = try introducingPosition(of: number)
    if let row = try nameRow(number, in: tables.names), row.count > 1 {
      let use = try name(number)
      return NameDisclosure(
        number: number, kind: use.kind, text: use.name, position: introduced, nonce: nil, hash: nil)
    }
    let sealed = try sealedName(number)
    guard try !isErased(sealed.slot), let secret = try tables.texts.keys?.secret(sealed.slot.taken)
    else { return nil }
    guard let text = sealed.text(secret) else {
      throw .corrupt("The name with the number \(number) is damaged")
    }
    return NameDisclosure(
      number: number, kind: sealed.kind, text: text, position: introduced, nonce: secret.nonce,
      hash: sealed.lookupHash)
  }

  /// Returns the personal members of the event at `position`, each of which can be disclosed alone.
  ///
  /// - Returns: An empty array if it has none; `nil` if their key has been destroyed or is missing.
  /// - Complexity: O(log *n*), and two hashes per member.
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`, `io`.
  package func disclosures(at position: UInt64) throws(LedgerError) -> [MemberDisclosure]? {
    let record = try record(at: position)
    guard let commitment = record.commitment else { return [] }
    guard let row = try personalBytes(at: position), let data = SealedData(row) else {
      throw .corrupt("The personal data at position \(position) is missing or damaged")
    }
    guard let secret = try secret(of: data) else { return nil }
    guard let json = data.json(secret, commitment: commitment) else {
      throw .corrupt("The personal data at position \(position) is damaged")
    }
    let members: [EventData.Member]
    do throws(RecordError) { members = try EventData(personal: json).members } catch {
      throw LedgerError(error, at: position)
    }
    return members.enumerated().map { index, member in
      let nonce = Commitment.nonce(ofMember: index, seed: secret.nonce)
      return MemberDisclosure(
        member: member, nonce: nonce, commitment: Commitment.member(member, nonce: nonce))
    }
  }
}
