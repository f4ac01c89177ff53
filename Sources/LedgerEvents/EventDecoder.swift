/// The contents of one line of input: the event, and what an export added to it.
public struct EventInput: Sendable {
  public var event: Event
  /// The position in the ledger that was exported. A ledger assigns its own positions.
  public var position: UInt64?
  /// The ledger time in the ledger that was exported. `replay` uses it; an append ignores it.
  public var recordedAt: Instant?
  /// Whether the event can contain words that are not in the vocabulary. The decoder knows it of
  /// most events, so that nobody has to look for them.
  package var mayHaveUnknownWords = true

  public init(event: Event, position: UInt64? = nil, recordedAt: Instant? = nil) {
    self.event = event
    self.position = position
    self.recordedAt = recordedAt
  }
}

/// Reads events from JSON Lines, strictly as `events.md` specifies. Invalid input is refused with
/// an error that says where it is and what to do; the decoder does not guess.
public struct EventDecoder: Sendable {
  /// The environment of events that do not state one.
  public let defaultEnvironment: StoreEnvironment?

  public init(defaultEnvironment: StoreEnvironment? = nil) {
    self.defaultEnvironment = defaultEnvironment
  }

  /// Decodes the event of one line, with or without the line feed at its end.
  ///
  /// - Parameters:
  ///   - line: The line, in UTF-8.
  ///   - number: The line's number, for error messages.
  /// - Throws: `EventError` with the byte, the field and what was expected there.
  /// - Complexity: O(*n*) in the length of the line.
  public func decode(line: [UInt8], number: Int = 1) throws(EventError) -> EventInput {
    try decode(line: line.span, number: number)
  }

  /// Decodes the event of one line, with or without the line feed at its end.
  ///
  /// - Parameters:
  ///   - line: The line, in UTF-8.
  ///   - number: The line's number, for error messages.
  /// - Throws: `EventError` with the byte, the field and what was expected there.
  /// - Complexity: O(*n*) in the length of the line.
  public func decode(line: Span<UInt8>, number: Int = 1) throws(EventError) -> EventInput {
    do throws(EventError) {
      var count = line.count
      if count > 0, line[count - 1] == UInt8(ascii: "\n") { count -= 1 }
      guard count <= eventSizeBytesMax else {
        throw EventError(
          reason: "has \(count) bytes, more than the \(eventSizeBytesMax) allowed in one event")
      }
      let text = line.extracting(0..<count)
      try checkUTF8(text)
      var envelope = EnvelopeReader(text)
      try envelope.read()
      return try envelope.input(defaultEnvironment: defaultEnvironment)
    } catch {
      var error = error
      error.line = number
      throw error
    }
  }
}
