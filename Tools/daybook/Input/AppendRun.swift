import Dispatch
import Foundation
import LedgerAnswers
import LedgerEvents
import LedgerStore

/// One run of `append`, which reads lines, appends batches and prints answers.
struct AppendRun {
  /// The options of the command.
  struct Options {
    var condition: AppendCondition?
    /// Whether lines after a bad one are appended.
    var skips = false
    /// Whether warnings are errors.
    var isStrict = false
    /// Whether types that are similar to those of the vocabulary are appended.
    var allowsUnknownTypes = false
    var format = OutputFormat.table

    var answersEachLine: Bool { format == .jsonl }
  }

  /// Where events go.
  enum Target {
    case ledger(Ledger)
    /// Nowhere: they are only checked.
    case trial(AppendTrial)
  }

  private struct Pending {
    let file: String
    let line: InputLine
    let input: EventInput
    let warning: String?
  }

  /// The maximum number of events in one durable commit: enough to share the disk's latency, and
  /// few enough for prompt answers to a pipe.
  private static let batchEventsMax = 5_000
  /// How long a line from a pipe may wait for further lines, in milliseconds (`commands.md`).
  private static let pipeDelayMilliseconds = 100

  var summary = AppendSummary(warnings: AppendWarnings())
  private let target: Target
  private let decoder: EventDecoder
  private let options: Options
  private let rejects: OutputFile?
  private var vocabulary = VocabularyCheck()
  private let stop = StopSignal()
  private let bar = ProgressBar("appending", unit: "bytes")
  private var bytesRead: UInt64 = 0
  private var bytesTotal: UInt64?
  private var pending: [Pending] = []
  /// The batch before the pending lines, which is being committed while these are read.
  private var inFlight: (lines: [Pending], ticket: AppendTicket)?
  /// When the oldest pending line must be answered.
  private var deadline: DispatchTime?
  private var steps = CommitSteps(eventsMax: AppendRun.batchEventsMax)
  private var isStopped = false
  /// The current file, and how many of its lines were appended or rejected.
  private var lastLine: (file: String, line: Int)?
  /// Whether a signal came while a file had lines left.
  private var isInterrupted = false

  init(to target: Target, decoder: EventDecoder, options: Options, rejects: OutputFile?) {
    self.target = target
    if case .trial = target { summary.isTrial = true }
    self.decoder = decoder
    self.options = options
    self.rejects = rejects
  }

  mutating func append(_ sources: [AppendSource]) throws {
    defer { bar.end() }
    let sizes = sources.compactMap(\.byteCount)
    if sizes.count == sources.count { bytesTotal = sizes.reduce(0, +) }
    for source in sources {
      if goesOn {
        try append(source)
      } else if !source.isPipe || options.condition != nil {
        noteInterruption()
      }
    }
    if isInterrupted && options.condition != nil {
      // A condition is about the whole input, so a part of it is not appended.
      pending.removeAll()
    }
    try commit()
    try rejects?.publish()
  }

  private var goesOn: Bool { !isStopped && !stop.isReceived }

  /// Notes that a file has lines left because of a signal, unless a line was refused.
  private mutating func noteInterruption() {
    if stop.isReceived && !isStopped { isInterrupted = true }
  }

  private mutating func append(_ source: AppendSource) throws {
    // A stream may be silent for long, and the lines before it are not to wait for it.
    if source.isPipe, options.condition == nil { try commit() }
    let bytes = try reading { try source.open() }
    var lines = SourceLines()
    var isWhole = false
    // A stream has no end that could be missed, unless a condition is about all of it.
    defer {
      if !isWhole && (!source.isPipe || options.condition != nil) { noteInterruption() }
    }
    while goesOn {
      let wait = DispatchTime.now() + .milliseconds(Self.pipeDelayMilliseconds)
      let until = min(wait, deadline ?? wait)
      guard let chunk = try reading({ try bytes.next(until: until) }) else {
        if let line = lines.cutter.end() { try take([line], from: source) }
        isWhole = true
        return
      }
      if let reason = try take(chunk, &lines, from: source) {
        isWhole = true
        return try refuse(source, reason)
      }
      if let bytesTotal { bar.show(bytesRead, bytesTotal) }
      if let deadline, DispatchTime.now() >= deadline { try commit() }
    }
    guard source.isPipe, !isStopped else { return }
    // What was read from a stream exists nowhere else, so it is appended.
    for chunk in bytes.stop() {
      if let reason = try take(chunk, &lines, from: source) { return try refuse(source, reason) }
    }
  }

  /// Reads, and if that fails, appends and answers what was read before.
  private mutating func reading<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch {
      if options.condition == nil { try commit() }
      throw error
    }
  }

  /// The lines of a source, as far as it has been read.
  private struct SourceLines {
    var cutter = LineCutter()
    var isBegun = false
  }

  /// Processes the lines that end in a chunk.
  ///
  /// - Returns: Why the source cannot contain events at all, in which case no line is processed;
  ///   otherwise `nil`.
  private mutating func take(
    _ chunk: Data, _ lines: inout SourceLines, from source: AppendSource
  ) throws -> String? {
    var chunk = chunk
    bytesRead += UInt64(chunk.count)
    if !lines.isBegun, !chunk.isEmpty {
      lines.isBegun = true
      if let reason = ForeignInput(file: source.name).reason(beginning: chunk) { return reason }
      if chunk.starts(with: ForeignInput.mark) {
        chunk = chunk.dropFirst(ForeignInput.mark.count)
      }
    }
    let found = lines.cutter.add(chunk)
    if let first = found.first, isRead(first, of: source),
      let reason = ForeignInput(file: source.name).reason(beginning: first.bytes)
    {
      return reason
    }
    try take(found, from: source)
    return nil
  }

  /// Whether a line is the first of a file. A stream continues after a line that is not an event.
  private func isRead(_ line: InputLine, of source: AppendSource) -> Bool {
    line.number == 1 && !(source.isPipe && options.skips)
  }

  /// Rejects an input as a whole, because none of its lines can be an event.
  private mutating func refuse(_ source: AppendSource, _ reason: String) throws {
    if options.condition == nil { try commit() }
    if isStopped { return }
    try reject(
      InputLine(number: 1, bytes: []), of: source.name, column: nil, field: nil, reason: reason,
      id: nil)
  }

  private mutating func take(_ lines: [InputLine], from source: AppendSource) throws {
    for line in lines {
      if isStopped { return }
      do throws(EventError) {
        let input = try decoder.decode(line: line.bytes, number: line.number)
        let warning = try examine(input, line, of: source.name)
        pending.append(Pending(file: source.name, line: line, input: input, warning: warning))
      } catch {
        if options.condition == nil { try commit() }
        if isStopped { return }
        if let known = ForeignInput(file: source.name).reason(of: line.bytes) {
          try reject(line, of: source.name, column: nil, field: nil, reason: known, id: nil)
        } else {
          try reject(
            line, of: source.name, column: error.column, field: error.field, reason: error.reason,
            id: nil)
        }
      }
      lastLine = (source.name, line.number)
      // A condition is about the whole input, so nothing is committed before its end.
      guard options.condition == nil else { continue }
      if pending.count >= Self.batchEventsMax {
        // Whoever writes into a pipe waits for the answers.
        if source.isPipe { try commit() } else { try commitWhileReading() }
      }
      if deadline == nil, source.isPipe, !pending.isEmpty {
        deadline = DispatchTime.now() + .milliseconds(Self.pipeDelayMilliseconds)
      }
    }
  }

  /// Hands the pending lines to the ledger's writer, and does not wait for it.
  private mutating func commitWhileReading() throws {
    guard case .ledger(let ledger) = target, steps.isFull else {
      return try commit()
    }
    try finishBatchInFlight()
    if isStopped { return }
    do throws(LedgerError) {
      inFlight = (pending, try ledger.submit(pending.map(\.input), options: Self.asDecoded))
    } catch {
      // This finds the line that is refused.
      return try commit()
    }
    pending = []
  }

  /// Waits for the batch in flight. If one of its lines is refused, it is appended again without
  /// that line, before the pending ones.
  private mutating func finishBatchInFlight() throws {
    guard let batch = inFlight else { return }
    inFlight = nil
    do throws(LedgerError) {
      answer(try batch.ticket.wait(), batch.lines[...])
    } catch {
      let later = pending
      pending = batch.lines
      guard error.index != nil else { throw error }
      try commitPending()
      if !isStopped { pending = later }
    }
    try stopWhereNobodyReads()
  }

  /// Appends the pending lines. If one is refused, the lines before it are kept.
  private mutating func commit() throws {
    deadline = nil
    if options.condition != nil {
      try commitWhole()
    } else {
      try finishBatchInFlight()
      try commitPending()
    }
  }

  private mutating func commitPending() throws {
    while !pending.isEmpty && !isStopped {
      let (count, refusal) = try CommitSteps.append(steps.count(of: pending.count)) {
        (count) throws(LedgerError) in try append(pending[..<count])
      }
      steps.note(isRefused: refusal != nil)
      let refused = refusal == nil ? nil : pending[count]
      pending.removeFirst(count + (refusal == nil ? 0 : 1))
      if let refusal, let refused { try reject(refused, refusal) }
      try stopWhereNobodyReads()
    }
  }

  /// Stops with an error if an answer to each line was requested and nobody reads the answers any
  /// more. Otherwise, the user would find out only later that lines were never read.
  private func stopWhereNobodyReads() throws {
    guard options.answersEachLine, Console.isOutputLost else { return }
    throw InputProblem(
      "stopped, because nothing reads the output any more: everything up to here was appended; run "
        + "it again to continue.",
      exitCode: ExitStatus.inputOutput)
  }

  /// Appends everything or nothing.
  private mutating func commitWhole() throws {
    guard !pending.isEmpty, !isStopped else { return }
    do throws(LedgerError) {
      try append(pending[...])
    } catch {
      guard [.conditionFailed, .conflict, .notCovered, .invalidEvent].contains(error.code) else {
        throw error
      }
      summary.rejected += pending.count
      if options.answersEachLine {
        for entry in pending {
          say(entry.line, id: entry.input.event.id.text, nil, "rejected", reason: error.message)
        }
      }
      let cause = error.index.map { pending[$0] }
      tell(
        AppendSummary.Rejection(
          file: cause?.file, line: cause?.line.number, column: nil,
          field: error.code == .conflict ? "id" : nil, reason: error.message))
    }
    pending.removeAll()
  }

  private mutating func append(_ entries: ArraySlice<Pending>) throws(LedgerError) {
    let inputs = entries.map(\.input)
    switch target {
    case .ledger(let ledger):
      var asDecoded = Self.asDecoded
      asDecoded.condition = options.condition
      answer(try ledger.appendAndWait(inputs, options: asDecoded), entries)
    case .trial(let trial):
      let outcome = try trial.take(inputs)
      summary.add(outcome)
      answer(entries) { (nil, outcome.areKnown[$0] ? "duplicate" : "accepted") }
    }
  }

  /// The decoder has already validated the events.
  private static let asDecoded = AppendOptions(validates: false)

  private mutating func answer(_ result: AppendResult, _ entries: ArraySlice<Pending>) {
    summary.add(result)
    answer(entries) { number in
      let outcome = result.outcomes[number]
      if case .appended = outcome { return (outcome.position, "appended") }
      return (outcome.position, "duplicate")
    }
  }

  /// Prints an answer to each line, if these are wanted.
  private func answer(
    _ entries: ArraySlice<Pending>, _ outcome: (Int) -> (position: UInt64?, status: String)
  ) {
    guard options.answersEachLine else { return }
    for (number, entry) in entries.enumerated() {
      let (position, status) = outcome(number)
      say(entry.line, id: entry.input.event.id.text, position, status, reason: entry.warning)
    }
    Console.flush()
  }

  private mutating func reject(_ entry: Pending, _ error: LedgerError) throws {
    try reject(
      entry.line, of: entry.file, column: nil, field: error.code == .conflict ? "id" : nil,
      reason: error.message, id: entry.input.event.id.text)
  }

  private mutating func reject(
    _ line: InputLine, of file: String, column: Int?, field: String?, reason: String, id: String?
  ) throws {
    summary.rejected += 1
    let rejection = AppendSummary.Rejection(
      file: file, line: line.number, column: column, field: field, reason: reason)
    tell(rejection)
    if options.answersEachLine {
      say(line, id: id, nil, "rejected", reason: reason)
      Console.flush()
    }
    if options.skips {
      try rejects?.write(Array((rejection.json(text: line.bytes) + "\n").utf8))
      try stopWhereNobodyReads()
    } else {
      isStopped = true
      pending.removeAll()
    }
  }

  /// Reports a rejection at once, because a stream may have no end.
  private mutating func tell(_ rejection: AppendSummary.Rejection) {
    if options.format == .json {
      summary.errors.append(rejection)
    } else {
      bar.end()
      Console.complain(rejection.description)
    }
  }

  /// Looks for misspelled words, which may be refused.
  ///
  /// - Returns: The warning about them, for the answer to the line.
  private mutating func examine(
    _ input: EventInput, _ line: InputLine, of file: String
  ) throws(EventError) -> String? {
    let words = vocabulary.unknownWords(in: input)
    if words.isEmpty { return nil }
    for word in words where isRefused(word) {
      var reason = word.reason
      if word.role == .type {
        reason += reason.hasSuffix("?") ? " " : ". "
        reason += "To append it as it is, add --allow-unknown"
      }
      throw EventError(
        line: line.number, column: word.column(in: line.bytes) ?? 0, field: word.path,
        reason: reason)
    }
    for word in words {
      guard let warning = summary.warnings?.add(word, line, of: file) else { continue }
      if options.format == .table {
        bar.end()
        Console.complain(warning.description)
      }
    }
    return words.map { "\($0.path): \($0.reason)" }.joined(separator: "; ")
  }

  private func isRefused(_ word: UnknownWord) -> Bool {
    guard word.role == .type else { return options.isStrict }
    return !options.allowsUnknownTypes && (options.isStrict || word.nearest != nil)
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

extension AppendRun {
  /// The message and the exit code if a signal came before the end of a file; otherwise `nil`.
  var interruption: InputProblem? {
    // A line that was refused is the reason to stop, even if a signal came before it was found.
    guard isInterrupted, !isStopped else { return nil }
    return InputProblem(
      "\(stoppedAt(lastLine)): run it again, nothing is doubled.", exitCode: ExitStatus.tryAgain)
  }

  /// An error of the ledger. If another run can continue, it states the line at which the error
  /// occurred.
  func stopped(by error: LedgerError) -> any Error {
    guard [.full, .io, .outcomeUnknown].contains(error.code) else { return error }
    let line = pending.first.map { ($0.file, $0.line.number) } ?? lastLine
    return InputProblem(
      "\(stoppedAt(line)): make room or repair the disk, then run it again, nothing is doubled. "
        + "The ledger could not be written: \(error.message)",
      exitCode: ExitStatus.code(for: error))
  }

  private func stoppedAt(_ line: (file: String, line: Int)?) -> String {
    guard let line else { return "stopped before the first line" }
    return "\(line.file): stopped at line \(line.line)"
  }
}
