#if canImport(StoreKit)
  import Foundation
  public import StoreKit

  /// Listens to StoreKit 2: what is unfinished, what is updated, and the states of subscriptions. Each
  /// value is recorded, then passed on.
  ///
  /// ```swift
  /// let listener = TransactionListener(recorder) { result in await deliver(result) }
  /// ```
  ///
  /// Make it at the launch, and keep it for as long as the app runs.
  public final class TransactionListener: Sendable {
    private let tasks: [Task<Void, Never>]

    /// - Parameters:
    ///   - failed: Called when something could not be recorded; log it.
    ///   - deliver: Gives what was bought, and finishes with ``StoreKit/Transaction/finish(with:)``.
    public init(
      _ recorder: Recorder, failed: @escaping @Sendable (RecorderError) -> Void = { _ in },
      deliver: @escaping @Sendable (VerificationResult<StoreKit.Transaction>) async -> Void
    ) {
      let note: @Sendable (PurchaseCall) -> Void = { call in
        do {
          try recorder.record(storeKit2: call)
        } catch {
          failed(error)
        }
      }
      tasks = [
        Task {
          for await result in StoreKit.Transaction.unfinished {
            note(.unfinished(SignedTransaction(result)))
            await deliver(result)
          }
        },
        Task {
          for await result in StoreKit.Transaction.updates {
            note(.updated(SignedTransaction(result)))
            await deliver(result)
          }
        },
        Task {
          for await value in Product.SubscriptionInfo.Status.updates {
            if let status = SubscriptionStatus(value) { note(.statusUpdated(status)) }
          }
        },
        Task {
          for await storefront in Storefront.updates {
            note(.storefrontChanged(storefront.countryCode))
          }
        },
      ]
    }

    deinit { for task in tasks { task.cancel() } }
  }

  extension Product {
    /// Asks for products, recorded.
    public static func products(
      for identifiers: [String], with recorder: Recorder
    ) async throws -> [Product] {
      try recorder.record(storeKit2: .productsRequested(identifiers))
      do {
        let products = try await Product.products(for: identifiers)
        let known = Set(products.map(\.id))
        try recorder.record(
          storeKit2: .productsReceived(
            products.map { OfferedProduct($0) }, invalid: identifiers.filter { !known.contains($0) }))
        return products
      } catch let error as RecorderError {
        throw error
      } catch {
        try recorder.record(storeKit2: .productsFailed(StoreError(error)))
        throw error
      }
    }

    /// Purchases, recorded. If it throws a ``RecorderError`` before the purchase, nothing was bought; if
    /// it does so afterwards, the transaction is unfinished and comes again.
    public func purchase(
      options: Set<PurchaseOption> = [], with recorder: Recorder
    ) async throws -> PurchaseResult {
      let name = recorder.makePaymentName()
      let price = OfferedProduct(self)
      try recorder.record(
        storeKit2: .purchase(
          payment: name, product: id,
          displayed: price.price.map { DisplayedPrice(price: $0, currency: price.currency) }))
      let result: PurchaseResult
      do {
        result = try await purchase(options: options)
      } catch StoreKitError.userCancelled {
        try recorder.record(storeKit2: .purchased(.userCancelled, payment: name, product: id))
        throw StoreKitError.userCancelled
      } catch {
        try recorder.record(
          storeKit2: .purchaseFailed(StoreError(error), payment: name, product: id))
        throw error
      }
      switch result {
      case .success(let transaction):
        try recorder.record(
          storeKit2: .purchased(
            .success(SignedTransaction(transaction)), payment: name, product: id))
      case .pending:
        try recorder.record(storeKit2: .purchased(.pending, payment: name, product: id))
      case .userCancelled:
        try recorder.record(storeKit2: .purchased(.userCancelled, payment: name, product: id))
      // A result of a later system: what it brings comes as a transaction.
      @unknown default: break
      }
      return result
    }
  }

  extension StoreKit.Transaction {
    /// Finishes the transaction, after everything that was reported of it is on the disk.
    public func finish(with recorder: Recorder) async throws {
      try recorder.record(storeKit2: .finish(SignedTransaction(self)))
      await finish()
    }
  }

  extension AppStore {
    /// Synchronizes, recorded as a restore.
    public static func sync(with recorder: Recorder) async throws {
      try recorder.record(storeKit2: .restore)
      do {
        try await sync()
      } catch {
        try recorder.record(storeKit2: .restoreFailed(StoreError(error)))
        throw error
      }
      try recorder.record(storeKit2: .restoreFinished)
    }
  }
#endif
