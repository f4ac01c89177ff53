import LedgerEvents

/// `download-without-payment` (error): a download event of a transaction whose reported state is
/// failed, purchasing or deferred. Once per download.
enum DownloadWithoutPayment {
  static func breaks(_ queue: QueueState) -> Bool {
    switch queue.reported {
    case .transactionFailed, .transactionPurchasing, .transactionDeferred: true
    default: false
    }
  }
}
