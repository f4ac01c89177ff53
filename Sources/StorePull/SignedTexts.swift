import LedgerEvents
package import SignedStoreData

/// The signed texts of a file, with those that are inside of them, by who signed them.
package struct SignedTexts: Sendable {
  /// The number of texts that each chain of the store signed.
  package private(set) var counts: [SignerChain: Int] = [:]
  /// The chains in the order in which they were found.
  package private(set) var chains: [SignerChain] = []
  /// The number of texts that a single certificate signed, as in local tests.
  package private(set) var localCount = 0
  /// Why texts are not believed, whatever a responder says: one for each of them.
  package private(set) var refusals: [SignedDataError] = []

  /// The number of signed texts.
  package var count: Int { counts.values.reduce(0, +) + localCount + refusals.count }

  /// - Parameters:
  ///   - file: A JWS, or JSON with signed texts anywhere in it: a notification as it was sent, or a
  ///     saved answer of the store. Or several of them, one a line.
  ///   - roots: The certificates at which a chain may end.
  /// - Throws: ``PullError``: `badFile` if it is neither.
  /// - Complexity: O(*n*) in the number of bytes, and three ECDSA checks for each signed text.
  package init(_ file: [UInt8], roots: TrustedRoots) throws(PullError) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = file.starts(with: mark) ? file[mark.count...] : file[...]
    let lines = text.split(separator: UInt8(ascii: "\n")).map(Self.trimmed).filter { !$0.isEmpty }
    guard lines.count > 1, Self.isWhole(lines[0]) else {
      try addDocument(Self.trimmed(text), roots)
      return
    }
    for (index, line) in lines.enumerated() {
      do throws(PullError) { try addDocument(line, roots) } catch {
        throw PullError(error.kind, "text \(index + 1): \(error.message)")
      }
    }
  }

  /// Whether the first line is a text of its own, as the import judges it.
  private static func isWhole(_ line: [UInt8]) -> Bool {
    do throws(EventError) {
      _ = try JSONValue(document: line, nulls: .leftOut)
      return true
    } catch {
      do throws(SignedDataError) {
        _ = try UnverifiedPayload.decode(line)
        return true
      } catch { return false }
    }
  }

  private mutating func addDocument(
    _ text: [UInt8], _ roots: TrustedRoots
  ) throws(PullError) {
    guard text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") else {
      do throws(SignedDataError) { _ = try UnverifiedPayload.decode(text) } catch {
        throw PullError(.badFile, "expected a signed text or JSON: \(error)")
      }
      add(text, roots)
      return
    }
    do throws(EventError) {
      try addAll(in: JSONValue(document: text, nulls: .leftOut), roots)
    } catch { throw PullError(.badFile, "expected a signed text or JSON: \(error.reason)") }
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> [UInt8] {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    return Array(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
  }

  /// Adds every signed text in a value, whatever its member is called: nothing that the importer
  /// finds may be left out here.
  private mutating func addAll(in value: JSONValue, _ roots: TrustedRoots) {
    switch value {
    case .string(let text): add(Array(text.utf8), roots)
    case .array(let elements): for element in elements { addAll(in: element, roots) }
    case .object(let members): for member in members { addAll(in: member.value, roots) }
    case .number, .boolean: break
    }
  }

  /// Adds a signed text and those in its payload; nothing if it is another text.
  private mutating func add(_ text: [UInt8], _ roots: TrustedRoots) {
    let payload: [UInt8]
    do throws(SignedDataError) { payload = try UnverifiedPayload.decode(text) } catch {
      // A name, a date: what is no JWS is none for the importer, either.
      return
    }
    do throws(SignedDataError) {
      if let chain = try SignerChain(of: text, roots: roots) {
        if counts.updateValue((counts[chain] ?? 0) + 1, forKey: chain) == nil {
          chains.append(chain)
        }
      } else {
        localCount += 1
      }
    } catch {
      refusals.append(error)
      return
    }
    do throws(EventError) {
      // Each is shorter than the one around it, so this ends.
      try addAll(in: JSONValue(document: payload, nulls: .leftOut), roots)
    } catch {
      // It was signed all the same. What it says is the importer's to judge.
      return
    }
  }
}
