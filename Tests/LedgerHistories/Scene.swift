import LedgerEvents

/// Short scenes for rules that single random events seldom break.
enum Scene: CaseIterable {
  case storm, upgrade, loop, linkedContent, failure, digests, progress, nonRenewing, purgedTwice
  case serverDownloads, unknownTypes, lateCatalogue, restoredOnly, restoreOverLaunch, graceHosted
  case originalFacts, expiry, transferredInstall, ownerless, cancelledDownload
  case boughtTwice, thereAlready, twoDevices, restoredAndFinished
  case contradiction, givenTwice, notGiven, restoredInPart, longDownload, familyCopies, doubleTap

  typealias Change = (inout Event, inout DataText) -> Void
  typealias Script = [(kind: EventKind, change: Change)]

  func events(_ random: inout SeededRandom) -> Script {
    switch self {
    case .storm: Self.storm(&random)
    case .loop: Self.loop(&random)
    case .purgedTwice: Self.purgedTwice(&random)
    case .progress: Self.progress(&random)
    case .restoreOverLaunch: Self.restoreOverLaunch(&random)
    case .serverDownloads: Self.serverDownloads(&random)
    case .cancelledDownload: Self.cancelledDownload(&random)
    case .upgrade: Self.upgrade(&random)
    case .nonRenewing: Self.nonRenewing(&random)
    case .restoredOnly: Self.restoredOnly(&random)
    case .graceHosted: Self.graceHosted(&random)
    case .originalFacts: Self.originalFacts(&random)
    case .expiry: Self.expiry(&random)
    case .lateCatalogue: Self.lateCatalogue(&random)
    case .linkedContent: Self.linkedContent(&random)
    case .digests: Self.digests(&random)
    case .transferredInstall: Self.transferredInstall(&random)
    case .ownerless: Self.ownerless(&random)
    case .failure: Self.failure(&random)
    case .unknownTypes: Self.unknownTypes(&random)
    case .boughtTwice: Self.boughtTwice(&random)
    case .thereAlready: Self.thereAlready(&random)
    case .twoDevices: Self.twoDevices(&random)
    case .restoredAndFinished: Self.restoredAndFinished(&random)
    case .contradiction: Self.contradiction(&random)
    case .givenTwice: Self.givenTwice(&random)
    case .notGiven: Self.notGiven(&random)
    case .restoredInPart: Self.restoredInPart(&random)
    case .longDownload: Self.longDownload(&random)
    case .familyCopies: Self.familyCopies(&random)
    case .doubleTap: Self.doubleTap(&random)
    }
  }

  /// Returns an event of the queue about one transaction, on the first device.
  static func queued(
    _ transaction: Name, _ product: Name? = nil, device: Name? = "d1", original: Name? = nil,
    _ more: @escaping Change = { _, _ in }
  ) -> Change {
    { event, text in
      event.source = EventSource(.storekit1)
      event.transaction = transaction
      event.payment = nil
      event.originalTransaction = original
      event.product = product
      event.device = device
      event.environment = nil
      more(&event, &text)
    }
  }

  static func of(_ device: Name?) -> Change {
    { event, _ in
      event.device = device
      event.environment = nil
      event.session = nil
    }
  }

  /// Returns a signed fact of the store's server about one transaction or original transaction.
  static func stored(
    _ transaction: Name?, _ product: Name? = nil, original: Name? = nil,
    _ more: @escaping Change = { _, _ in }
  ) -> Change {
    { event, text in
      event.source = EventSource(.server)
      event.transaction = transaction
      event.payment = nil
      event.originalTransaction = original
      event.product = product
      event.device = nil
      event.session = nil
      event.environment = nil
      more(&event, &text)
    }
  }

  static func plain(
    _ account: Name?, _ product: Name? = nil, device: Name? = "d1",
    _ more: @escaping Change = { _, _ in }
  ) -> Change {
    { event, text in
      event.account = account
      event.product = product
      event.device = device
      event.environment = nil
      event.transaction = nil
      event.payment = nil
      event.download = nil
      more(&event, &text)
    }
  }
}
