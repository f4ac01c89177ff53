import LedgerEvents

extension EnvironmentState {
  /// `content.installStarted`, `.installed` and `.installFailed` (`model.md` 14 and 17).
  mutating func reduceInstall(_ fact: Fact, _ step: Step, _ foldContext: FoldContext) {
    let index = indexOfInstall(fact, step)
    let hadOpenStart = installs[index].phase == .started && installs[index].startedPosition != 0
    if fact.kind != .contentInstallFailed {
      let download = downloadNamed(fact, step)
      if InstalledBeforeDownload.breaks(fact.kind, hadOpenStart: hadOpenStart, download: download) {
        report(.installedBeforeDownload, fact, step)
      }
    }
    installs[index].statedProduct = fact.product
    if fact.account != 0 { installs[index].account = fact.account }
    switch fact.kind {
    case .contentInstallStarted:
      installs[index].phase = .started
      installs[index].startedAt = fact.occurredAt
      installs[index].startedPosition = fact.position
    case .contentInstalled:
      installs[index].phase = .installed
      installs[index].wasInstalled = true
      installContent(fact, step)
    default:
      installs[index].phase = .failed
      if step.transaction != none {
        judgeClosings(fact, step, device: fact.device, transaction: step.transaction)
      }
    }
  }

  /// The phase of the download that an install names; `nil` if it names none.
  private mutating func downloadNamed(_ fact: Fact, _ step: Step) -> DownloadState.Phase? {
    if step.transaction == none || fact.download == 0 { return nil }
    let index = findDownload(of: step.transaction, fact.download, on: fact.device)
    return index == none ? .announced : downloads[index].phase
  }

  private mutating func indexOfInstall(_ fact: Fact, _ step: Step) -> Int {
    let transaction = fact.download == 0 ? none : step.transaction
    if fact.device == 0 && fact.download == 0 { couple(.install, fact.product, writes: true) }
    return indexOf(
      InstallState(
        transaction: transaction, download: fact.download,
        product: fact.download == 0 ? fact.product : 0, device: fact.device))
  }

  private mutating func installContent(_ fact: Fact, _ step: Step) {
    let detail = fact.detail
    let version = detail?.fields.contentVersion ?? Name("")
    if step.holder == .nobody && fact.device == 0 { couple(.content, fact.product, writes: true) }
    let index = findContent(of: fact.product, on: fact.device, heldBy: step.holder)
    if index != none, InstallDowngraded.breaks(version, installed: contents[index]) {
      report(.installDowngraded, fact, step, detail: version)
    }
    if BackupNotExcluded.breaks(fact) { report(.backupNotExcluded, fact, step) }
    if let digest = detail?.fields.digest {
      digests.append(
        InstalledDigest(
          product: fact.product, version: version, pathHash: detail?.fields.pathHash,
          digest: digest,
          key: step.key, finding: finding(.digestMismatch, fact, step, detail: digest)))
    }
    let installed = ContentState(
      holder: step.holder, product: fact.product, device: fact.device, version: version,
      installedAt: fact.occurredAt, position: fact.position, ordinal: step.ordinal,
      transaction: step.transaction)
    if index == none {
      append(installed)
    } else {
      let next = contents[index].next
      contents[index] = installed
      contents[index].next = next
    }
  }

  mutating func removeContent(_ fact: Fact, _ step: Step) {
    if step.holder == .nobody && fact.device == 0 { couple(.content, fact.product, writes: true) }
    let index = findContent(of: fact.product, on: fact.device, heldBy: step.holder)
    if index != none { contents[index].isPresent = false }
  }

  /// Moves everything that `from` has installed to `to`. If both have a version of one product on
  /// one device, the newest install counts.
  mutating func moveContents(from: Holder, to: Holder) {
    for index in contents.indices where contents[index].holder == from {
      if to == .nobody && contents[index].device == 0 {
        couple(.content, contents[index].product, writes: true)
      }
      let other = findContent(
        of: contents[index].product, on: contents[index].device, heldBy: to)
      contents[index].holder = to
      if other == none { continue }
      merge(other, into: index)
    }
  }

  /// Merges two rows of the same content, and takes one of them out of its device's list.
  private mutating func merge(_ other: Int, into index: Int) {
    let left = contents[index]
    let right = contents[other]
    let isLeft =
      left.isPresent == right.isPresent ? left.ordinal > right.ordinal : left.isPresent
    let next = left.next
    contents[index] = isLeft ? left : right
    contents[index].next = next
    contents[other].holder = .merged
    contents[other].isPresent = false
  }
}
