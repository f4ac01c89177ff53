import Foundation

/// What an answer says about each line that was sent.
struct AnswerReading: Equatable {
  var acknowledged: Set<UInt64> = []
  var refused: [UInt64: String] = [:]

  /// The statuses with which a server judges lines. Others, such as 401 or 404, say that something
  /// is wrong with the request or the server, and nothing about an event.
  static let verdicts: Set<Int> = [200, 400, 409, 413, 422]

  /// The maximum length of a reason that is kept, in characters.
  static let reasonCharactersMax = 500

  init() {}

  /// Reads an answer. Believes only what names the id of a line that was sent: a page that a proxy
  /// or a hotel's network answers acknowledges nothing.
  init(_ answer: UploadAnswer, to lines: [SpooledLine]) {
    guard Self.verdicts.contains(answer.status) else { return }
    var serials: [String: [UInt64]] = [:]
    for line in lines {
      if let id = Self.object(line.line[...])?["id"] as? String {
        serials[id, default: []].append(line.serial)
      }
    }
    let verdicts = answer.body.split(separator: UInt8(ascii: "\n")).compactMap(Self.verdict)
    let doubtful = Self.doubtful(verdicts)
    for verdict in verdicts {
      guard let sent = serials[verdict.id] else { continue }
      if let position = verdict.position, position > 0 {
        if !doubtful.contains(verdict.id) { acknowledged.formUnion(sent) }
      } else if let reason = verdict.refused {
        for serial in sent { refused[serial] = String(reason.prefix(Self.reasonCharactersMax)) }
      }
    }
    // An acknowledgement is never taken back.
    for serial in acknowledged { refused[serial] = nil }
  }

  /// The ids whose positions cannot be right: a ledger has one event at each position, and each
  /// event at one.
  private static func doubtful(_ verdicts: [Verdict]) -> Set<String> {
    var ids: [Int64: Set<String>] = [:]
    var positions: [String: Set<Int64>] = [:]
    for verdict in verdicts {
      guard let position = verdict.position, position > 0 else { continue }
      ids[position, default: []].insert(verdict.id)
      positions[verdict.id, default: []].insert(position)
    }
    let shared = ids.values.filter { $0.count > 1 }.flatMap(\.self)
    return Set(shared).union(positions.filter { $0.value.count > 1 }.keys)
  }

  private struct Verdict: Decodable {
    var id: String
    var position: Int64?
    var refused: String?
  }

  /// What a line of the answer says; nil if a member has another type, such as `true` for a
  /// position, which `JSONSerialization` takes for 1.
  private static func verdict(_ text: ArraySlice<UInt8>) -> Verdict? {
    do {
      return try JSONDecoder().decode(Verdict.self, from: Data(text))
    } catch {
      return nil
    }
  }

  private static func object(_ text: ArraySlice<UInt8>) -> [String: Any]? {
    do {
      return try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
    } catch {
      return nil
    }
  }
}
