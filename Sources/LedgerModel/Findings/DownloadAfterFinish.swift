import LedgerEvents

/// `download-after-finish` (error): `download.requested` or `.resumeRequested` of a store-hosted
/// download whose transaction was finished and is not open: the store refuses it. Once per download
/// and finish.
enum DownloadAfterFinish {
  static func breaks(
    _ kind: EventKind, _ queue: QueueState, host: DownloadHost
  ) -> Bool {
    (kind == .downloadRequested || kind == .downloadResumeRequested) && host == .store
      && queue.isFinishedAndNotOpen
  }
}
