import NIOCore

/// Waits on a timer of an event loop, which goes when the wait is cancelled.
///
/// `Task.sleep` keeps its task and its timer until the time has passed, also if it was cancelled:
/// with one for each request, a service that is asked 1,000 times a second holds those of 60,000.
enum Pause {
  /// Returns after the time, and not before.
  ///
  /// - Throws: An error if the task is cancelled, or if the loop ends.
  static func wait(_ time: TimeAmount, on loop: any EventLoop) async throws {
    let timer = loop.scheduleTask(in: time) {}
    try await withTaskCancellationHandler {
      try await timer.futureResult.get()
    } onCancel: {
      timer.cancel()
    }
  }
}
