/// The longest line of one event, in bytes.
///
/// One mebibyte: a catalogue of thousands of products fits, and a file that is no JSON Lines at all
/// is found out before it fills the memory.
public let eventSizeBytesMax = 1 << 20

/// The longest id of an event, in bytes of UTF-8 (`events.md`, *An event*).
public let eventIDBytesMax = 128

/// The longest name (account, product, transaction, …), in bytes of UTF-8.
///
/// LMDB takes keys of up to 511 bytes and the names are keyed by a hash, so the limit is there to
/// keep a row of a name small; the stores' own identifiers have fewer than 256 bytes.
public let nameBytesMax = 512

/// The deepest nesting of objects and arrays, the event itself counted as 1.
///
/// The vocabulary needs 4 and an error with ten underlying errors 12; the bound keeps the recursion
/// of every reader within a small stack.
public let nestingDepthMax = 32

/// The longest time of an ISO 8601 duration, in years: with the year 9999 it still is an instant.
public let durationYearsMax: Int64 = 9_999
