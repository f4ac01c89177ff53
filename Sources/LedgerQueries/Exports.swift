// Whoever asks questions has a ledger open: `Ledger`, its views and errors come with the questions.
@_exported public import LedgerStore
