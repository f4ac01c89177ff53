import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents
import LedgerImport
import LedgerStore
import Logging
import Metrics

/// What takes in the store's notifications.
struct NotificationDesk: Sendable {
  let intake: NotificationIntake
  let refused: RefusedNotifications
}

extension ServiceRoutes {
  /// The address of the App Store's notifications, for production and sandbox. It needs no token:
  /// the store has none, and what it sends is believed for its signature alone.
  func addNotifications(to router: RouterGroup<ServiceContext>) {
    guard let desk else { return }
    router.post(RouterPath(Self.notificationsPath)) { request, context in
      try await take(request, context, desk)
    }
  }

  static let notificationsPath = "/v1/notifications/apple"

  private func take(
    _ request: Request, _ context: ServiceContext, _ desk: NotificationDesk
  ) async throws(Problem) -> Response {
    try await strangersBudget.read(
      request, on: context.channel.eventLoop, upTo: notificationBodyBytesMax
    ) { (body) async throws(Problem) -> Response in
      let bytes = Array(body.readableBytesView)
      let outcome = try await work.append { (ledger) throws(Problem) in
        Result { () throws(IntakeRefusal) in try desk.intake.takeAndWait(bytes, into: ledger) }
      }
      do throws(IntakeRefusal) {
        return answer(try outcome.get(), context)
      } catch {
        return try await answer(error, bytes, context, desk)
      }
    }
  }

  /// 200: everything that the notification says is on the disk.
  private func answer(_ taken: TakenNotification, _ context: ServiceContext) -> Response {
    Counter(label: "daybook.notifications", dimensions: [("outcome", "taken")]).increment()
    context.logger.info(
      "notification taken",
      metadata: [
        "notification": "\(taken.notificationUUID.text)", "type": "\(taken.type)",
        "app": "\(taken.app.text)", "environment": "\(taken.environment.text)",
        "appended": "\(taken.appendedCount)", "known": "\(taken.knownCount)",
      ])
    for warning in taken.warnings {
      context.logger.warning("notification", metadata: ["reason": "\(warning)"])
    }
    var response = Self.document { json in
      json.member("notification", taken.notificationUUID)
      json.member("type", taken.type)
      json.member("subtype", taken.subtype)
      json.member("app", taken.app)
      json.member("environment", taken.environment.text)
      json.member("appended", taken.appendedCount)
      json.member("known", taken.knownCount)
      json.member("firstPosition", taken.positions?.lowerBound)
      json.member("lastPosition", taken.positions?.upperBound)
    }
    if let last = taken.positions?.upperBound { response.headers[.positionName] = "\(last)" }
    return response
  }

  /// What is answered decides whether the store sends a notification again, which it does after
  /// anything but 2xx, for three days.
  ///
  /// - A fault of this side, and an app that is missing in the settings, can be repaired in that
  ///   time: it shall come again.
  /// - A contradiction stays one: it is kept and not wanted again.
  /// - What nobody signed does not come from the store.
  private func answer(
    _ refusal: IntakeRefusal, _ body: [UInt8], _ context: ServiceContext,
    _ desk: NotificationDesk
  ) async throws(Problem) -> Response {
    Counter(label: "daybook.notifications", dimensions: [("outcome", refusal.check)]).increment()
    var kept: String?
    switch refusal.kind {
    case .tryAgain: break
    case .unreadable, .untrusted, .otherApp, .contradiction:
      let isSigned = refusal.isOfTheStore
      kept = try await work.append { (_) throws(Problem) in
        try desk.refused.keep(body, isSigned: isSigned)
      }
    }
    context.logger.warning(
      "notification refused",
      metadata: [
        "check": "\(refusal.check)", "reason": "\(refusal.message)", "kept": "\(kept ?? "-")",
      ])
    switch refusal.kind {
    case .tryAgain(let error): throw Problem(error)
    case .unreadable, .untrusted: throw Problem(.badRequest, refusal.message)
    case .otherApp:
      var problem = Problem(.unavailable, refusal.message)
      problem.retryAfterSeconds = 3_600
      throw problem
    case .contradiction:
      // Without a copy here, the store's is the only one.
      guard let kept else { throw Problem(.full, refusal.message) }
      return Self.document(status: .accepted) { json in
        json.member("status", "kept")
        json.member("file", kept)
        json.member("reason", refusal.message)
      }
    }
  }
}

extension IntakeRefusal {
  /// Whether the store has signed what was refused.
  fileprivate var isOfTheStore: Bool {
    switch kind {
    case .otherApp, .contradiction, .tryAgain: true
    case .unreadable, .untrusted: false
    }
  }
}
