/// Writes events as JSON Lines.
///
/// The envelope's fields come first, in a fixed order, then `data`. Absent fields are left out.
/// Times are written in UTC, and the values of `data` keep their original bytes.
public struct EventEncoder: Sendable {
  public init() {}

  /// Returns one line, without the line feed.
  ///
  /// - Complexity: O(*n*) in the size of the event.
  public func encode(_ event: Event) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(512)
    append(event, to: &line)
    return line
  }

  /// Returns one line with `position` and `recordedAt`, without the line feed.
  ///
  /// - Complexity: O(*n*) in the size of the event.
  public func encode(_ recorded: RecordedEvent) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(512)
    append(recorded, to: &line)
    return line
  }

  /// Appends one line, without the line feed.
  public func append(_ event: Event, to line: inout [UInt8]) {
    append(event, position: nil, recordedAt: nil, to: &line)
  }

  /// Appends one line with `position` and `recordedAt`, without the line feed.
  public func append(_ recorded: RecordedEvent, to line: inout [UInt8]) {
    append(
      recorded.event, position: recorded.position, recordedAt: recorded.recordedAt, to: &line)
  }

  /// Appends one line, without the line feed.
  public func append(_ input: EventInput, to line: inout [UInt8]) {
    append(input.event, position: input.position, recordedAt: input.recordedAt, to: &line)
  }

  private func append(
    _ event: Event, position: UInt64?, recordedAt: Instant?, to line: inout [UInt8]
  ) {
    line.append(contentsOf: "{\"id\":".utf8)
    JSONBytes.append(event.id.text, to: &line)
    line.append(contentsOf: ",\"type\":".utf8)
    JSONBytes.append(event.type.text, to: &line)
    line.append(contentsOf: ",\"occurredAt\":\"".utf8)
    event.occurredAt.appendRFC3339(to: &line)
    line.append(UInt8(ascii: "\""))
    append(",\"source\":", event.source?.text, to: &line)
    append(",\"environment\":", event.environment?.text, to: &line)
    append(",\"app\":", event.app?.text, to: &line)
    append(",\"account\":", event.account?.text, to: &line)
    append(",\"device\":", event.device?.text, to: &line)
    append(",\"session\":", event.session?.text, to: &line)
    if let sequence = event.sequence {
      line.append(contentsOf: ",\"sequence\":".utf8)
      JSONBytes.append(sequence, to: &line)
    }
    append(",\"payment\":", event.payment?.text, to: &line)
    append(",\"product\":", event.product?.text, to: &line)
    append(",\"transaction\":", event.transaction?.text, to: &line)
    append(",\"originalTransaction\":", event.originalTransaction?.text, to: &line)
    append(",\"download\":", event.download?.text, to: &line)
    if !event.data.isEmpty {
      line.append(contentsOf: ",\"data\":".utf8)
      JSONBytes.append(event.data, to: &line)
    }
    if let position {
      line.append(contentsOf: ",\"position\":".utf8)
      JSONBytes.append(Int64(clamping: position), to: &line)
    }
    if let recordedAt {
      line.append(contentsOf: ",\"recordedAt\":\"".utf8)
      recordedAt.appendRFC3339(to: &line)
      line.append(UInt8(ascii: "\""))
    }
    line.append(UInt8(ascii: "}"))
  }

  private func append(_ name: String, _ text: String?, to line: inout [UInt8]) {
    guard let text else { return }
    line.append(contentsOf: name.utf8)
    JSONBytes.append(text, to: &line)
  }
}
