import Dispatch
import Foundation
import LedgerEvents
import LedgerStore

/// One run of `append`: lines in, batches to the ledger, answers out.
struct AppendRun {
  private struct Pending {
    let file: String
    let line: InputLine
    let input: EventInput
  }

  /// Events in one durable commit: enough that the disk's latency is shared, few enough that a
  /// pipe's answers come soon.
  private static let batchEventsMax = 5_000
  /// How long a line from a pipe may wait for company, in milliseconds (`cli.md`).
  private static let pipeDelayMilliseconds = 100

  private(set) var summary = AppendSummary()
  private let ledger: Ledger
  private let decoder: EventDecoder
  private let condition: AppendCondition?
  private let skips: Bool
  private let rejects: FileHandle?
  private let answersEachLine: Bool
  private var pending: [Pending] = []
  private var isStopped = false
  private let stop = StopSignal()

  init(
    ledger: Ledger, decoder: EventDecoder, condition: AppendCondition?, skips: Bool,
    rejects: String?, answersEachLine: Bool
  ) throws {
    self.ledger = ledger
    self.decoder = decoder
    self.condition = condition
    self.skips = skips
    self.answersEachLine = answersEachLine
    if let rejects {
      guard FileManager.default.createFile(atPath: rejects, contents: nil),
        let handle = FileHandle(forWritingAtPath: rejects)
      else {
        throw InputProblem(
          "\(rejects) cannot be written: name a file for --rejects in a folder that you may write.",
          exitCode: ExitStatus.cannotCreate)
      }
      self.rejects = handle
    } else {
      self.rejects = nil
    }
  }

  mutating func append(_ sources: [AppendSource]) throws {
    for source in sources where !isStopped && !stop.isReceived { try append(source) }
    try commit()
  }

  private mutating func append(_ source: AppendSource) throws {
    var cutter = LineCutter()
    var isAtEnd = false
    while !isAtEnd && !isStopped && !stop.isReceived {
      let deadline = DispatchTime.now() + .milliseconds(Self.pipeDelayMilliseconds)
      if let chunk = try source.bytes.next(until: deadline) {
        if chunk.isEmpty && condition == nil { try commit() }
        try take(cutter.add(chunk), from: source)
        if source.isPipe && !answersLater { try commit() }
      } else {
        isAtEnd = true
        if let line = cutter.end() { try take([line], from: source) }
      }
    }
  }

  /// A pipe that keeps bringing more is committed by batches, and by the deadline at the latest.
  private var answersLater: Bool { condition != nil || pending.count < Self.batchEventsMax / 10 }

  private mutating func take(_ lines: [InputLine], from source: AppendSource) throws {
    for line in lines {
      if isStopped { return }
      do throws(EventError) {
        let input = try decoder.decode(line: line.bytes, number: line.number)
        pending.append(Pending(file: source.name, line: line, input: input))
      } catch {
        if condition == nil { try commit() }
        if isStopped { return }
        try reject(
          line, of: source.name, column: error.column, field: error.field, reason: error.reason,
          id: nil)
      }
      if condition == nil && pending.count >= Self.batchEventsMax { try commit() }
    }
  }

  /// Appends what is pending; where an event is refused, what stands before it is kept.
  private mutating func commit() throws {
    while !pending.isEmpty && !isStopped {
      do throws(LedgerError) {
        let result = try ledger.appendAndWait(pending.map(\.input), options: options(condition))
        answer(result)
        pending.removeAll(keepingCapacity: true)
      } catch {
        guard let index = error.index, condition == nil else { throw error }
        let refused = pending[index]
        let rest = Array(pending[(index + 1)...])
        pending.removeSubrange(index...)
        let before = pending.map(\.input)
        if !before.isEmpty { answer(try ledger.appendAndWait(before, options: options(nil))) }
        pending = rest
        try reject(
          refused.line, of: refused.file, column: nil, field: error.code == .conflict ? "id" : nil,
          reason: error.message, id: refused.input.event.id.text)
      }
    }
  }

  /// What the decoder has read needs no second look.
  private func options(_ condition: AppendCondition?) -> AppendOptions {
    AppendOptions(condition: condition, validates: false)
  }

  private mutating func answer(_ result: AppendResult) {
    summary.unknownTypes += result.unknownTypes
    for (entry, outcome) in zip(pending, result.outcomes) {
      let position: UInt64
      let status: String
      switch outcome {
      case .appended(let at):
        position = at
        status = "appended"
        summary.add(position: at)
      case .duplicate(let at):
        position = at
        status = "duplicate"
        summary.duplicates += 1
      }
      if answersEachLine {
        say(entry.line, id: entry.input.event.id.text, position, status, reason: nil)
      }
    }
    if answersEachLine { Console.flush() }
  }

  private mutating func reject(
    _ line: InputLine, of file: String, column: Int?, field: String?, reason: String, id: String?
  ) throws {
    summary.errors.append(
      AppendSummary.Rejection(
        file: file, line: line.number, column: column, field: field, reason: reason))
    if answersEachLine {
      say(line, id: id, nil, "rejected", reason: reason)
      Console.flush()
    }
    if skips {
      try rejects?.write(contentsOf: Data(line.bytes + [UInt8(ascii: "\n")]))
    } else {
      isStopped = true
      pending.removeAll()
    }
  }

  private func say(
    _ line: InputLine, id: String?, _ position: UInt64?, _ status: String, reason: String?
  ) {
    var json = JSONText()
    json.object { json in
      json.member("line", line.number)
      json.member("id", id)
      json.member("position", position)
      json.member("status", status)
      json.member("reason", reason)
    }
    Console.print(json.text)
  }
}
