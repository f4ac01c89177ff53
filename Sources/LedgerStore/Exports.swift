// Clients of a ledger use the log's types everywhere: its errors, the results of appends and the
// view of a snapshot.
@_exported public import LedgerLog
