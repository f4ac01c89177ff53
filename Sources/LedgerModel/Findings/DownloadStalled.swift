import LedgerEvents

/// `download-stalled` (warning): a download whose newest event, more than 1 hour ago, is requested,
/// resumeRequested, waiting or progressed, and which no finish has cancelled for good. Once per
/// download and device.
enum DownloadStalled {
  static func holds(
    _ download: DownloadState, at moment: Int64, _ thresholds: Thresholds
  ) -> Bool {
    switch download.newestKind {
    case .downloadRequested, .downloadResumeRequested, .downloadWaiting, .downloadProgressed:
      !download.marks.contains(.cancelledByFinish)
        && moment - download.newestTime > thresholds.downloadStalled
    default: false
    }
  }
}
