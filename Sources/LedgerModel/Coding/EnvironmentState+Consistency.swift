import LedgerEvents

extension EnvironmentState {
  /// Whether every index is within its table and every list ends. A decoded state must satisfy this
  /// before any of its indices is used.
  var isConsistent: Bool {
    chainOwners.count == chainOwnerIndex.keys.count && sessions.count == sessionIndex.keys.count
      && chainOwners.allSatisfy(transactions.indices.contains)
      && transactionsAreConsistent && chainsAreConsistent && listsAreConsistent
      && holdersAreConsistent
  }

  private func isIndex(_ index: Int, below count: Int) -> Bool {
    index == none || (index >= 0 && index < count)
  }

  private var transactionsAreConsistent: Bool {
    transactions.enumerated().allSatisfy { index, transaction in
      isIndex(transaction.chain, below: chains.count)
        && (transaction.chain != none) == transaction.isBegun
        && isIndex(transaction.nextInChain, below: transactions.count)
        && (transaction.nextInChain == none || transaction.nextInChain > index)
        && isIndex(transaction.holder.index, below: customers.count)
        && isIndex(transaction.firstDelivery, below: deliveries.count)
        && isIndex(transaction.firstDownload, below: downloads.count)
        && isIndex(transaction.firstInstall, below: installs.count)
        && isIndex(transaction.firstReport, below: reports.count)
    }
  }

  private var chainsAreConsistent: Bool {
    chains.allSatisfy { chain in
      isIndex(chain.firstTransaction, below: transactions.count)
        && isIndex(chain.lastTransaction, below: transactions.count)
        && isIndex(chain.firstPurchase, below: transactions.count)
        && (chain.firstTransaction == none) == (chain.lastTransaction == none)
    }
  }

  /// Lists grow at their head, so each row refers to a lower index.
  private var listsAreConsistent: Bool {
    deliveries.enumerated().allSatisfy {
      isIndex($1.next, below: $0) && transactions.indices.contains($1.transaction)
    }
      && downloads.enumerated().allSatisfy {
        isIndex($1.next, below: $0) && transactions.indices.contains($1.transaction)
      }
      && installs.enumerated().allSatisfy {
        isIndex($1.next, below: $0) && isIndex($1.transaction, below: transactions.count)
      }
      && reports.enumerated().allSatisfy { isIndex($1.next, below: $0) }
      && contents.enumerated().allSatisfy {
        isIndex($1.next, below: $0) && isIndex($1.transaction, below: transactions.count)
      }
      && devices.allSatisfy {
        isIndex($0.firstContent, below: contents.count)
          && isIndex($0.firstInstall, below: installs.count)
      }
  }

  private var holdersAreConsistent: Bool {
    contents.allSatisfy { $0.holder == .merged || isIndex($0.holder.index, below: customers.count) }
      && accounts.allSatisfy { isIndex($0.customer.index, below: customers.count) }
      && grants.allSatisfy { customers.indices.contains($0.holder.index) }
      && consumptions.allSatisfy {
        customers.indices.contains($0.holder.index) && $0.amount >= 0
      }
      && failures.allSatisfy { transactions.indices.contains($0.transaction) }
      && (refusals + gifts).allSatisfy { transactions.indices.contains($0.transaction) }
      && repeats.allSatisfy { chains.indices.contains($0.chain) }
      && closings.allSatisfy {
        transactions.indices.contains($0.transaction)
          && $0.downloads.allSatisfy(downloads.indices.contains)
      }
  }
}
