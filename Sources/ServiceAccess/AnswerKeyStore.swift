internal import Foundation
package import LedgerEvents
internal import PackageFiles

/// The keys of a ledger's signed answers, in the file `service/answer-keys.json` of its folder.
///
/// One key signs. When another one takes its place, its private half is forgotten, and its public
/// half stays, so that what it has signed can still be verified. These are not the keys that sign
/// checkpoints: those are kept away from the ledger, and a service has to have its key.
package struct AnswerKeyStore: Sendable {
  /// How many keys are published. Whoever verifies reads all of them.
  package static let keysMax = 16

  private let file: ServiceFile

  package var path: String { file.path }

  /// - Parameter path: The folder of a ledger. The ledger itself is not opened.
  package init(ledger path: String) {
    file = ServiceFile(
      ledger: path, name: "answer-keys.json", command: "answer-key",
      consequence: "No answer is signed until it can be.")
  }

  // MARK: - Changes

  /// Makes a key, which signs from then on. That is durable when this returns.
  ///
  /// - Parameter now: The present.
  /// - Throws: ``TokenError``: `limitReached`, `noLedger`, `busy`, `damaged`, `unknownVersion`,
  ///   `disk`.
  package func create(at now: Instant) throws(TokenError) -> AnswerKey {
    try changing { (keys) throws(TokenError) in
      guard keys.count < Self.keysMax else {
        throw TokenError(
          .limitReached,
          "\(path) has \(Self.keysMax) keys, which is the limit: remove those whose answers have "
            + "all ended, with `daybook answer-key remove`.")
      }
      for index in keys.indices where keys[index].retiredAt == nil {
        (keys[index].retiredAt, keys[index].seed) = (now, nil)
      }
      let stored: StoredKey
      do { stored = try StoredKey(seed: AnswerSigner.newSeed(), createdAt: now) } catch {
        throw TokenError(.disk, "no key can be made: \(error)")
      }
      keys.append(stored)
      return stored.key
    }
  }

  /// Takes a key out of the set, so that nothing that it has signed is believed any more. If it
  /// was the one that signs, nothing is signed until there is another.
  ///
  /// - Parameter id: The key's id, or the first letters of it that no other has.
  /// - Throws: ``TokenError``: `unknown`, `noLedger`, `busy`, `damaged`, `unknownVersion`, `disk`.
  package func remove(_ id: String) throws(TokenError) -> AnswerKey {
    guard try opened() != nil else { throw unknown(id) }
    return try changing { (keys) throws(TokenError) in
      let found = keys.indices.filter { keys[$0].key.id.hasPrefix(id) }
      guard found.count == 1, !id.isEmpty else { throw unknown(id) }
      return keys.remove(at: found[0]).key
    }
  }

  private func unknown(_ id: String) -> TokenError {
    TokenError(
      .unknown,
      "there is no answer key \(id), or several begin so: `daybook answer-key list` shows them all."
    )
  }

  private func changing<Answer>(
    _ change: (inout [StoredKey]) throws(TokenError) -> Answer
  ) throws(TokenError) -> Answer {
    try file.changing { () throws(TokenError) in
      var keys = try opened()?.keys ?? []
      let answer = try change(&keys)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      do {
        let document = Document(version: Self.versionKnown, keys: keys.map(Entry.init))
        return (Array(try encoder.encode(document)) + [UInt8(ascii: "\n")], answer)
      } catch {
        throw TokenError(.disk, "\(path) cannot be written as JSON: \(error.localizedDescription)")
      }
    }
  }

  // MARK: - Reading

  /// Returns the public halves of all keys, in the order in which they were made.
  ///
  /// - Throws: ``TokenError``: `noLedger`, `damaged`, `unknownVersion`, `disk`.
  package func list() throws(TokenError) -> [AnswerKey] { try opened()?.keys.map(\.key) ?? [] }

  /// Reads the file, and keeps it open; nil if no key was ever made.
  func opened() throws(TokenError) -> (file: HeldFile, keys: [StoredKey])? {
    guard let opened = try file.opened(bytesMax: Self.bytesMax, damaged: damaged) else {
      return nil
    }
    return (opened.file, try keys(in: Data(opened.bytes)))
  }

  func unreadable(_ error: FolderError) -> TokenError { file.unreadable(error) }

  private func damaged(_ reason: String) -> TokenError {
    TokenError(
      .damaged,
      "\(path) is damaged: \(reason). No answer is signed until that is repaired. Put a copy of "
        + "the file back; or remove it, and make a new key with `daybook answer-key new`.")
  }

  // MARK: - Form

  private static let versionKnown = 1
  /// The largest file that is read, in bytes: more than ``keysMax`` keys have.
  private static let bytesMax = 64 << 10

  private struct Head: Decodable {
    let version: Int
  }

  private struct Document: Codable {
    let version: Int
    let keys: [Entry]
  }

  /// A key in the file, with its private half if it signs.
  private struct Entry: Codable {
    let publicKey: String
    let seed: String?
    let createdAt: String
    let retiredAt: String?

    init(_ stored: StoredKey) {
      publicKey = Base64URL.encode(stored.publicKey)
      seed = stored.seed.map(Base64URL.encode)
      (createdAt, retiredAt) = (stored.createdAt.rfc3339, stored.retiredAt?.rfc3339)
    }
  }

  private func keys(in data: Data) throws(TokenError) -> [StoredKey] {
    let (head, document): (Head, Document?)
    do {
      head = try JSONDecoder().decode(Head.self, from: data)
      document =
        head.version == Self.versionKnown
        ? try JSONDecoder().decode(Document.self, from: data) : nil
    } catch {
      throw damaged("it is no JSON with a version and keys")
    }
    guard let document else {
      throw TokenError(
        .unknownVersion,
        "\(path) is of version \(head.version), and this program knows version "
          + "\(Self.versionKnown): use the program that wrote it, or a newer one.")
    }
    var keys: [StoredKey] = []
    for entry in document.keys {
      guard let key = StoredKey(entry.publicKey, entry.seed, entry.createdAt, entry.retiredAt)
      else { throw damaged("a key has another form, or its halves do not belong together") }
      keys.append(key)
    }
    guard keys.count <= Self.keysMax, keys.count(where: { $0.retiredAt == nil }) <= 1 else {
      throw damaged("it has more than \(Self.keysMax) keys, or more than one that signs")
    }
    return keys
  }
}

/// A key, with its private half if it is the one that signs.
struct StoredKey: Sendable {
  let publicKey: [UInt8]
  var seed: [UInt8]?
  let createdAt: Instant
  var retiredAt: Instant?

  init(seed: [UInt8], createdAt: Instant) throws {
    let signer = try AnswerSigner(seed: seed, createdAt: createdAt)
    (publicKey, self.seed, self.createdAt) = (signer.key.publicKey, seed, createdAt)
  }

  /// nil if a text has another form, or if the halves do not belong together.
  init?(_ publicKey: String, _ seed: String?, _ createdAt: String, _ retiredAt: String?) {
    guard let bytes = Base64URL.decode(publicKey), bytes.count == 32,
      let created = Instant(rfc3339: createdAt), (seed == nil) == (retiredAt != nil)
    else { return nil }
    (self.publicKey, self.createdAt) = (bytes, created)
    if let retiredAt {
      guard let retired = Instant(rfc3339: retiredAt) else { return nil }
      self.retiredAt = retired
    }
    guard let seed else { return }
    self.seed = Base64URL.decode(seed)
    guard signer?.key.publicKey == bytes else { return nil }
  }

  var key: AnswerKey {
    AnswerKey(publicKey: publicKey, createdAt: createdAt, retiredAt: retiredAt)
  }

  /// The key as it signs; nil for one that was retired.
  var signer: AnswerSigner? {
    guard let seed else { return nil }
    do { return try AnswerSigner(seed: seed, createdAt: createdAt) } catch {
      // A seed of another length is that of no key.
      return nil
    }
  }
}
