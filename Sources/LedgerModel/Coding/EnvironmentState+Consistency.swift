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

  private func isPlace(_ place: Int, below count: Int) -> Bool {
    place == none || (place >= 0 && place < count)
  }

  private var transactionsAreConsistent: Bool {
    transactions.enumerated().allSatisfy { place, transaction in
      isPlace(transaction.chain, below: chains.count)
        && (transaction.chain != none) == transaction.isBegun
        && isPlace(transaction.nextInChain, below: transactions.count)
        && (transaction.nextInChain == none || transaction.nextInChain > place)
        && isPlace(transaction.holder.place, below: customers.count)
        && isPlace(transaction.firstDelivery, below: deliveries.count)
        && isPlace(transaction.firstDownload, below: downloads.count)
        && isPlace(transaction.firstInstall, below: installs.count)
        && isPlace(transaction.firstReport, below: reports.count)
    }
  }

  private var chainsAreConsistent: Bool {
    chains.allSatisfy { chain in
      isPlace(chain.firstTransaction, below: transactions.count)
        && isPlace(chain.lastTransaction, below: transactions.count)
        && isPlace(chain.firstPurchase, below: transactions.count)
        && (chain.firstTransaction == none) == (chain.lastTransaction == none)
    }
  }

  /// Lists grow at their head, so each row refers to a lower index.
  private var listsAreConsistent: Bool {
    deliveries.enumerated().allSatisfy {
      isPlace($1.next, below: $0) && transactions.indices.contains($1.transaction)
    }
      && downloads.enumerated().allSatisfy {
        isPlace($1.next, below: $0) && transactions.indices.contains($1.transaction)
      }
      && installs.enumerated().allSatisfy {
        isPlace($1.next, below: $0) && isPlace($1.transaction, below: transactions.count)
      }
      && reports.enumerated().allSatisfy { isPlace($1.next, below: $0) }
      && contents.enumerated().allSatisfy {
        isPlace($1.next, below: $0) && isPlace($1.transaction, below: transactions.count)
      }
      && devices.allSatisfy {
        isPlace($0.firstContent, below: contents.count)
          && isPlace($0.firstInstall, below: installs.count)
      }
  }

  private var holdersAreConsistent: Bool {
    contents.allSatisfy { $0.holder == .merged || isPlace($0.holder.place, below: customers.count) }
      && accounts.allSatisfy { isPlace($0.customer.place, below: customers.count) }
      && grants.allSatisfy { customers.indices.contains($0.holder.place) }
      && consumptions.allSatisfy {
        customers.indices.contains($0.holder.place) && $0.amount >= 0
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
