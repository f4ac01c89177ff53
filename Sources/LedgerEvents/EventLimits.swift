/// The maximum size of one event's line, in bytes.
///
/// One mebibyte: it holds a catalogue of thousands of products, and a file that is not JSON Lines
/// is detected before it fills the memory.
public let eventSizeBytesMax = 1 << 20

/// The maximum length of an event's id, in bytes of UTF-8 (`events.md`, *An event*).
public let eventIDBytesMax = 128

/// The maximum length of a name (account, product, transaction and so on), in bytes of UTF-8.
///
/// LMDB accepts keys of up to 511 bytes, but names are keyed by a hash. The limit keeps the row of
/// a name small; the stores' own identifiers have fewer than 256 bytes.
public let nameBytesMax = 512

/// The maximum nesting of objects and arrays, where the event itself counts as 1.
///
/// The vocabulary needs 4, and an error with ten underlying errors needs 12. The limit keeps the
/// recursion of every reader within a small stack.
public let nestingDepthMax = 32

/// The maximum length of an ISO 8601 duration, in years. Added to any valid time, it still gives an
/// instant.
public let durationYearsMax: Int64 = 9_999
