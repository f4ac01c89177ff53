/// What one line of input holds: the event, and what an export wrote beside it.
public struct EventInput: Sendable {
  public var event: Event
  /// The position that an export wrote; a ledger gives positions of its own.
  public var position: UInt64?
  /// The ledger's clock that an export wrote; `replay` uses it, an append does not.
  public var recordedAt: Instant?

  public init(event: Event, position: UInt64? = nil, recordedAt: Instant? = nil) {
    self.event = event
    self.position = position
    self.recordedAt = recordedAt
  }
}

/// Reads events from JSON Lines, strictly as `events.md` says: what is not right is refused with
/// its place and what to do, and nothing is guessed.
public struct EventDecoder: Sendable {
  /// The environment of events that state none.
  public let defaultEnvironment: StoreEnvironment?

  public init(defaultEnvironment: StoreEnvironment? = nil) {
    self.defaultEnvironment = defaultEnvironment
  }

  /// The event of one line, without or with the line feed that ends it.
  ///
  /// - Parameters:
  ///   - line: The line, in UTF-8.
  ///   - number: The line's number, for errors.
  /// - Throws: `EventError` with the byte, the field and what was expected there.
  /// - Complexity: O(*n*) in the length of the line.
  public func decode(line: [UInt8], number: Int = 1) throws(EventError) -> EventInput {
    try decode(line: line.span, number: number)
  }

  /// The event of one line, without or with the line feed that ends it.
  ///
  /// - Parameters:
  ///   - line: The line, in UTF-8.
  ///   - number: The line's number, for errors.
  /// - Throws: `EventError` with the byte, the field and what was expected there.
  /// - Complexity: O(*n*) in the length of the line.
  public func decode(line: Span<UInt8>, number: Int = 1) throws(EventError) -> EventInput {
    do throws(EventError) {
      var count = line.count
      if count > 0, line[count - 1] == UInt8(ascii: "\n") { count -= 1 }
      guard count <= eventSizeBytesMax else {
        throw EventError(
          reason: "has \(count) bytes, more than the \(eventSizeBytesMax) of one event")
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
