/// `install-interrupted` (error): an install whose newest event is `content.installStarted`, more
/// than 1 hour ago. Once per install.
enum InstallInterrupted {
  static func holds(_ install: InstallState, at moment: Int64, _ thresholds: Thresholds) -> Bool {
    install.phase == .started && moment - install.startedAt > thresholds.installInterrupted
  }
}
