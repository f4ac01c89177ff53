#if canImport(StoreKit)
  public import Foundation
  public import StoreKit

  /// The payment queue, recorded: it stands between the queue and your own observer, and between
  /// your code and the queue.
  ///
  /// ```swift
  /// let queue = RecordingQueue(recorder, observer: myObserver, failed: { log($0) })
  /// queue.start()                       // in application(_:didFinishLaunchingWithOptions:)
  /// queue.add(payment)                  // for SKPaymentQueue.default().add(payment)
  /// try queue.finish(transaction)       // for finishTransaction(transaction)
  /// ```
  ///
  /// Calls are recorded, then made, and callbacks are recorded, then passed on, even if the disk
  /// takes nothing: the customer can buy, and gets what was bought. Only a finish throws then. Keep
  /// the object for as long as the app runs: the queue does not.
  public final class RecordingQueue: NSObject, SKPaymentTransactionObserver {
    private let recorder: Recorder
    private let queue: SKPaymentQueue
    private let observer: any SKPaymentTransactionObserver
    private let failed: @Sendable (RecorderError) -> Void

    /// - Parameters:
    ///   - observer: Your own observer. Do not add it to the queue as well.
    ///   - failed: Called when something could not be recorded yet, and when a transaction was
    ///   finished past the recorder; log it.
    public init(
      _ recorder: Recorder, observer: any SKPaymentTransactionObserver,
      queue: SKPaymentQueue = .default(),
      failed: @escaping @Sendable (RecorderError) -> Void
    ) {
      self.recorder = recorder
      self.observer = observer
      self.queue = queue
      self.failed = failed
    }

    /// Records something. What fails is told, and written before the next event.
    private func note(_ call: QueueCall) {
      do {
        try recorder.record(storeKit1: call)
      } catch {
        failed(error)
      }
    }

    /// Records what one call or callback brings, at once. If one of the values lacks something, the
    /// others still are recorded; if one is too long, the recorder sees to it.
    private func note(_ calls: [QueueCall]) {
      do {
        try recorder.record(storeKit1: calls)
      } catch {
        switch error {
        case .incomplete where calls.count > 1:
          for call in calls { note(call) }
        default: failed(error)
        }
      }
    }

    // MARK: - Calls

    /// Adds the observer.
    public func start() {
      note(.observerAdded)
      queue.add(self)
    }

    /// Removes the observer.
    public func stop() {
      note(.observerRemoved)
      queue.remove(self)
    }

    /// Whether payments may be made.
    public func canMakePayments() -> Bool {
      let isAllowed = SKPaymentQueue.canMakePayments()
      note(.paymentsChecked(allowed: isAllowed))
      return isAllowed
    }

    /// Adds a payment. `displayed` is the price that the customer saw.
    public func add(_ payment: SKPayment, displayed: DisplayedPrice? = nil) {
      note(.paymentAdded(QueuePayment(payment), displayed: displayed))
      queue.add(payment)
    }

    /// Finishes a transaction, after everything that was reported of it is on the disk.
    public func finish(_ transaction: SKPaymentTransaction) throws(RecorderError) {
      try recorder.record(storeKit1: .finish(QueueTransaction(transaction)))
      queue.finishTransaction(transaction)
    }

    /// Asks for the transactions that can be restored.
    public func restoreCompletedTransactions(account: String? = nil) {
      note(.restore)
      if let account {
        queue.restoreCompletedTransactions(withApplicationUsername: account)
      } else {
        queue.restoreCompletedTransactions()
      }
    }

    #if os(iOS) || os(macOS)
      /// Starts downloads.
      public func start(_ downloads: [SKDownload]) {
        for download in downloads { note(.startDownload(QueueDownload(download))) }
        queue.start(downloads)
      }

      /// Pauses downloads.
      public func pause(_ downloads: [SKDownload]) {
        for download in downloads { note(.pauseDownload(QueueDownload(download))) }
        queue.pause(downloads)
      }

      /// Resumes downloads.
      public func resume(_ downloads: [SKDownload]) {
        for download in downloads { note(.resumeDownload(QueueDownload(download))) }
        queue.resume(downloads)
      }

      /// Cancels downloads.
      public func cancel(_ downloads: [SKDownload]) {
        for download in downloads { note(.cancelDownload(QueueDownload(download))) }
        queue.cancel(downloads)
      }
    #endif

    // MARK: - Callbacks

    public func paymentQueue(
      _ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]
    ) {
      note(transactions.map { .updated(QueueTransaction($0)) })
      observer.paymentQueue(queue, updatedTransactions: transactions)
    }

    public func paymentQueue(
      _ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]
    ) {
      let removed = transactions.map { QueueTransaction($0) }
      for transaction in removed where !recorder.sawFinish(of: transaction) {
        failed(.finishedElsewhere(transaction.transaction ?? transaction.payment.product))
      }
      note(removed.map { .removed($0) })
      observer.paymentQueue?(queue, removedTransactions: transactions)
    }

    public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
      note(.restoreFinished)
      observer.paymentQueueRestoreCompletedTransactionsFinished?(queue)
    }

    public func paymentQueue(
      _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error
    ) {
      note(.restoreFailed(StoreError(error)))
      observer.paymentQueue?(queue, restoreCompletedTransactionsFailedWithError: error)
    }

    public func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {
      // Without a country there is nothing to record.
      if let country = queue.storefront?.countryCode { note(.storefrontChanged(country)) }
      observer.paymentQueueDidChangeStorefront?(queue)
    }

    public func paymentQueue(
      _ queue: SKPaymentQueue,
      didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
      note(.entitlementsRevoked(productIdentifiers))
      observer.paymentQueue?(
        queue, didRevokeEntitlementsForProductIdentifiers: productIdentifiers)
    }

    #if os(iOS) || os(macOS)
      public func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
      ) -> Bool {
        let isAdded =
          observer.paymentQueue?(queue, shouldAddStorePayment: payment, for: product) ?? false
        note(.storePayment(QueuePayment(payment), isAdded: isAdded))
        return isAdded
      }

      public func paymentQueue(
        _ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]
      ) {
        note(downloads.map { .updatedDownload(QueueDownload($0)) })
        observer.paymentQueue?(queue, updatedDownloads: downloads)
      }
    #endif
  }

  /// A products request, recorded: it stands between the request and your own delegate.
  ///
  /// A request does not keep its delegate: keep this object until the request has ended.
  public final class RecordingProductsRequest: NSObject, SKProductsRequestDelegate {
    private let recorder: Recorder
    private let delegate: any SKProductsRequestDelegate
    private let request: SKProductsRequest
    private let identifiers: Set<String>
    private let failed: @Sendable (RecorderError) -> Void

    public init(
      _ recorder: Recorder, products identifiers: Set<String>,
      delegate: any SKProductsRequestDelegate,
      failed: @escaping @Sendable (RecorderError) -> Void
    ) {
      self.recorder = recorder
      self.delegate = delegate
      self.identifiers = identifiers
      self.failed = failed
      request = SKProductsRequest(productIdentifiers: identifiers)
      super.init()
      request.delegate = self
    }

    /// Starts the request. It asks for products even if that cannot be recorded.
    public func start() {
      note(.productsRequested(identifiers.sorted()))
      request.start()
    }

    private func note(_ call: QueueCall) {
      do {
        try recorder.record(storeKit1: call)
      } catch {
        failed(error)
      }
    }

    public func productsRequest(
      _ request: SKProductsRequest, didReceive response: SKProductsResponse
    ) {
      note(
        .productsReceived(
          response.products.map { OfferedProduct($0) }, invalid: response.invalidProductIdentifiers)
      )
      delegate.productsRequest(request, didReceive: response)
    }

    public func request(_ request: SKRequest, didFailWithError error: any Error) {
      note(.productsFailed(StoreError(error)))
      delegate.request?(request, didFailWithError: error)
    }

    public func requestDidFinish(_ request: SKRequest) { delegate.requestDidFinish?(request) }
  }
#endif
