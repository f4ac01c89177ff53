#if canImport(StoreKit)
  import Foundation
  public import StoreKit

  // StoreKit 1's objects as values. Nothing here decides anything: what an event says of them is in
  // EventMapping.swift.

  extension QueuePayment {
    /// What a payment says.
    public init(_ payment: SKPayment) {
      self.init(
        product: payment.productIdentifier, quantity: payment.quantity,
        account: payment.applicationUsername,
        asksToBuy: payment.simulatesAskToBuyInSandbox ? true : nil)
    }
  }

  extension QueueTransaction {
    /// What a transaction says now.
    public init(_ transaction: SKPaymentTransaction) {
      let state = State(transaction.transactionState)
      self.init(
        object: UInt(bitPattern: ObjectIdentifier(transaction)), state: state,
        payment: QueuePayment(transaction.payment))
      // Apple's documentation calls these undefined in other states.
      if state.isDelivered {
        self.transaction = transaction.transactionIdentifier
        original = transaction.original?.transactionIdentifier
        date = transaction.transactionDate.map { Timestamp($0) }
      } else if state == .failed {
        error = transaction.error.map { StoreError($0) }
      }
      #if os(iOS) || os(macOS)
        // The store's own content, until iOS 16 and macOS 13.
        downloads = transaction.downloads.map { HostedContent($0) }
      #endif
    }
  }

  extension QueueTransaction.State {
    init(_ state: SKPaymentTransactionState) {
      switch state {
      case .purchasing: self = .purchasing
      case .purchased: self = .purchased
      case .failed: self = .failed
      case .restored: self = .restored
      case .deferred: self = .deferred
      // A state of a later system has not bought anything yet, as far as this version knows.
      @unknown default: self = .purchasing
      }
    }
  }

  extension OfferedProduct {
    /// What the store offers.
    public init(_ product: SKProduct) {
      self.init(
        product: product.productIdentifier, title: product.localizedTitle,
        description: product.localizedDescription, price: product.price.stringValue,
        currency: product.priceLocale.currencyCode, priceLocale: product.priceLocale.identifier)
      #if os(iOS) || os(macOS)
        isDownloadable = product.isDownloadable
        if product.isDownloadable {
          contentVersion = product.downloadContentVersion
          contentLengths = product.downloadContentLengths.map(\.int64Value)
        }
      #endif
    }
  }

  #if os(iOS) || os(macOS)
    extension HostedContent {
      /// What a download says of its content.
      public init(_ download: SKDownload) {
        self.init(
          identifier: download.contentIdentifier, version: download.contentVersion,
          length: download.expectedContentLength)
      }
    }

    extension QueueDownload {
      /// What a download says now.
      public init(_ download: SKDownload) {
        self.init(
          transaction: QueueTransaction(download.transaction), content: HostedContent(download),
          state: State(download.state), progress: download.progress,
          timeRemaining: download.timeRemaining,
          path: download.contentURL.map { Self.relative($0.path, to: NSHomeDirectory()) },
          error: download.error.map { StoreError($0) })
      }
    }

    extension QueueDownload.State {
      init(_ state: SKDownloadState) {
        switch state {
        case .waiting: self = .waiting
        case .active: self = .active
        case .paused: self = .paused
        case .finished: self = .finished
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        @unknown default: self = .waiting
        }
      }
    }
  #endif
#endif
