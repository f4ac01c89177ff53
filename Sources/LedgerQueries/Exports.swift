// Anyone who asks questions has an open ledger, so `Ledger`, its views and its errors are exported.
@_exported public import LedgerStore
