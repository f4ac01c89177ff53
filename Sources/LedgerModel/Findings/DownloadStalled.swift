import LedgerEvents

/// `download-stalled` (warning): the newest event of a download is more than 1 hour ago and is
/// requested, resumeRequested, waiting or progressed, and no finish has cancelled the download for
/// good. Once per download and device.
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
