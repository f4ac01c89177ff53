// Whoever asks a ledger meets the log's types at every turn: its errors, what appending answers,
// the view of a snapshot.
@_exported public import LedgerLog
