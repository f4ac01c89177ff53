import Foundation
import Logging
import Webhooks

/// How many connections the file descriptors of the process are enough for.
///
/// A process that has used all of them cannot even look at its own state, and Dispatch ends it for
/// that. So no more connections are accepted or made than there are descriptors.
struct ConnectionRoom: Equatable {
  /// How many connections are accepted.
  let connections: Int
  /// How many messages are under way to one receiver.
  let webhookAttempts: Int

  /// How many connections all receivers together can have.
  var webhookConnections: Int { Webhook.countMax * webhookAttempts }

  /// How many descriptors the service needs to begin.
  static var descriptorsMin: Int { reserved + ServiceLimits.connectionDescriptorsMin }

  /// What is no connection.
  private static var reserved: Int {
    ServiceLimits.fileDescriptors
      + ServiceLimits.fileDescriptorsPerCore * ProcessInfo.processInfo.activeProcessorCount
  }

  /// - Parameters:
  ///   - descriptors: How many the process may have.
  ///   - asked: How many connections the settings ask for.
  init(descriptors: Int, asked: Int) {
    let free = max(descriptors - Self.reserved, ServiceLimits.connectionDescriptorsMin)
    // Webhooks get what connections leave, and a quarter at least, which is one for each of them.
    let share = max(free - asked, free / 4, Webhook.countMax)
    webhookAttempts = min(ServiceLimits.webhookAttemptsMax, share / Webhook.countMax)
    connections = min(asked, free - Webhook.countMax * webhookAttempts)
  }

  /// Says what is less than was asked for.
  func tell(_ logger: Logger, descriptors: Int, asked: Int) {
    guard connections < asked || webhookAttempts < ServiceLimits.webhookAttemptsMax else { return }
    logger.warning(
      "few files can be open: raise their limit (LimitNOFILE, ulimit -Hn) for more connections",
      metadata: [
        "files": "\(descriptors)", "connections": "\(connections)", "asked": "\(asked)",
        "attemptsPerWebhook": "\(webhookAttempts)",
      ])
  }
}
