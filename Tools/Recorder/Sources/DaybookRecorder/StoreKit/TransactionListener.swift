#if canImport(StoreKit)
  import Foundation
  public import StoreKit

  /// Listens to StoreKit 2: what is unfinished, what is updated, and the states of subscriptions.
  /// Each value is recorded, then passed on in a task of its own: what takes long to deliver keeps
  /// nothing from being recorded. The same transaction can come from several of them, and from a
  /// purchase: each of its states is delivered once (``DeliveryGate``), and one after the other, if
  /// the app's own purchases go through ``deliver(_:)``, too.
  ///
  /// ```swift
  /// let listener = TransactionListener(
  ///   recorder, failed: { log($0) }, deliver: { result in try await give(result) })
  /// if case .success(let result) = try await product.purchase(with: recorder) {
  ///   try await listener.deliver(result)
  /// }
  /// ```
  ///
  /// Make it at the launch, and keep it for as long as the app runs.
  public final class TransactionListener: Sendable {
    private let tasks: [Task<Void, Never>]
    private let gate: DeliveryGate
    private let give: @Sendable (VerificationResult<StoreKit.Transaction>) async throws -> Void

    /// - Parameters:
    ///   - failed: Called when something could not be recorded yet; log it.
    ///   - deliver: Gives what was bought, and finishes with
    ///   ``StoreKit/Transaction/finish(with:)``; takes back what has a `revocationDate`. If it
    ///   throws, the transaction is delivered again when StoreKit hands it over again. It runs at
    ///   the same time for several transactions, and what it has begun goes on to its end even if
    ///   the listener is released.
    public init(
      _ recorder: Recorder, failed: @escaping @Sendable (RecorderError) -> Void,
      deliver: @escaping @Sendable (VerificationResult<StoreKit.Transaction>) async throws -> Void
    ) {
      let note: @Sendable (PurchaseCall) -> Void = { recorder.note($0, failed) }
      let gate = DeliveryGate()
      self.gate = gate
      give = deliver
      // In a task of its own: one that never ends keeps nothing from being recorded.
      let give: @Sendable (VerificationResult<StoreKit.Transaction>) -> Void = { result in
        Task {
          do {
            try await gate.pass(SignedTransaction(result)) { try await deliver(result) }
          } catch let error as RecorderError {
            failed(error)
          } catch {
            // The app's own error: it has seen it. The transaction comes again.
            return
          }
        }
      }
      tasks = [
        Task {
          for await result in StoreKit.Transaction.unfinished {
            note(.unfinished(SignedTransaction(result)))
            give(result)
          }
        },
        Task {
          for await result in StoreKit.Transaction.updates {
            note(.updated(SignedTransaction(result)))
            give(result)
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

    /// Delivers what a purchase of the app's own returned, unless another source has delivered it.
    /// If one is doing so now, waits for it.
    public func deliver(_ result: VerificationResult<StoreKit.Transaction>) async throws {
      try await gate.pass(SignedTransaction(result)) { [give] in try await give(result) }
    }
  }

  extension Product {
    /// Asks for products, recorded. It asks even if that cannot be recorded yet.
    ///
    /// - Parameter failed: Called when something could not be recorded yet; log it.
    public static func products(
      for identifiers: [String], with recorder: Recorder,
      failed: @Sendable (RecorderError) -> Void = { _ in }
    ) async throws -> [Product] {
      recorder.note(.productsRequested(identifiers), failed)
      do {
        let products = try await Product.products(for: identifiers)
        let known = Set(products.map(\.id))
        let invalid = identifiers.filter { !known.contains($0) }
        recorder.note(
          .productsReceived(products.map { OfferedProduct($0) }, invalid: invalid), failed)
        return products
      } catch {
        recorder.note(.productsFailed(StoreError(storeKit2: error)), failed)
        throw error
      }
    }

    /// Purchases, recorded. It purchases even if that cannot be recorded yet: then the finish
    /// waits.
    ///
    /// - Parameter failed: Called when something could not be recorded yet; log it.
    public func purchase(
      options: Set<PurchaseOption> = [], with recorder: Recorder,
      failed: @Sendable (RecorderError) -> Void = { _ in }
    ) async throws -> PurchaseResult {
      let name = recorder.makePaymentName()
      let offered = OfferedProduct(self)
      let price = offered.price.map { DisplayedPrice(price: $0, currency: offered.currency) }
      recorder.note(.purchase(payment: name, product: id, displayed: price), failed)
      let result: PurchaseResult
      do {
        result = try await purchase(options: options)
      } catch StoreKitError.userCancelled {
        recorder.note(.purchased(.userCancelled, payment: name, product: id), failed)
        throw StoreKitError.userCancelled
      } catch {
        recorder.note(
          .purchaseFailed(StoreError(storeKit2: error), payment: name, product: id), failed)
        throw error
      }
      switch result {
      case .success(let signed):
        let transaction = SignedTransaction(signed)
        recorder.note(.purchased(.success(transaction), payment: name, product: id), failed)
      case .pending: recorder.note(.purchased(.pending, payment: name, product: id), failed)
      case .userCancelled:
        recorder.note(.purchased(.userCancelled, payment: name, product: id), failed)
      // A result of a later system: what it brings comes as a transaction.
      @unknown default: break
      }
      return result
    }
  }

  extension StoreKit.Transaction {
    /// Finishes the transaction, after everything that was reported of it is on the disk. One of
    /// which nothing was, because it came from a plain `purchase()` or a view of the store, is
    /// reported first: as verified, and without what the store signed, which a transaction alone
    /// does not have. Finish its `VerificationResult` then.
    public func finish(with recorder: Recorder) async throws {
      try recorder.record(storeKit2: .finish(SignedTransaction(self)))
      await finish()
    }
  }

  extension VerificationResult where SignedType == StoreKit.Transaction {
    /// Finishes the transaction, after everything that was reported of it is on the disk. One of
    /// which nothing was is reported first, with what the store signed.
    ///
    /// - Throws: ``RecorderError``; ``RecorderError/unverified(_:)`` if StoreKit did not verify it.
    public func finish(with recorder: Recorder) async throws {
      try recorder.record(storeKit2: .finish(SignedTransaction(self)))
      switch self {
      case .verified(let transaction), .unverified(let transaction, _): await transaction.finish()
      }
    }
  }

  extension AppStore {
    /// Synchronizes, recorded as a restore.
    public static func sync(
      with recorder: Recorder, failed: @Sendable (RecorderError) -> Void = { _ in }
    ) async throws {
      recorder.note(.restore, failed)
      do {
        try await sync()
      } catch {
        recorder.note(.restoreFailed(StoreError(storeKit2: error)), failed)
        throw error
      }
      recorder.note(.restoreFinished, failed)
    }
  }

  extension Recorder {
    /// Records something that happens whether it can be written now or later.
    fileprivate func note(_ call: PurchaseCall, _ failed: (RecorderError) -> Void) {
      do {
        try record(storeKit2: call)
      } catch {
        failed(error)
      }
    }
  }
#endif
