import LedgerEvents

extension EnvironmentState {
  /// `content.installStarted`, `.installed` and `.installFailed` (`model.md` 14 and 17).
  mutating func reduceInstall(_ fact: Fact, _ step: Step, _ foldContext: FoldContext) {
    let place = installPlace(fact, step)
    let hadOpenStart = installs[place].phase == .started && installs[place].startedPosition != 0
    if fact.kind != .contentInstallFailed {
      let download = downloadNamed(fact, step)
      if InstalledBeforeDownload.breaks(fact.kind, hadOpenStart: hadOpenStart, download: download) {
        report(.installedBeforeDownload, fact, step)
      }
    }
    installs[place].statedProduct = fact.product
    if fact.account != 0 { installs[place].account = fact.account }
    switch fact.kind {
    case .contentInstallStarted:
      installs[place].phase = .started
      installs[place].startedAt = fact.occurredAt
      installs[place].startedPosition = fact.position
    case .contentInstalled:
      installs[place].phase = .installed
      installs[place].wasInstalled = true
      installContent(fact, step)
    default:
      installs[place].phase = .failed
      if step.transaction != none {
        judgeClosings(fact, step, device: fact.device, transaction: step.transaction)
      }
    }
  }

  /// The phase of the download that an install names; `nil` if it names none.
  private func downloadNamed(_ fact: Fact, _ step: Step) -> DownloadState.Phase? {
    if step.transaction == none || fact.download == 0 { return nil }
    let place = download(of: step.transaction, fact.download, on: fact.device)
    return place == none ? .announced : downloads[place].phase
  }

  func install(of download: DownloadState) -> InstallState? {
    var place = transactions[download.transaction].firstInstall
    while place != none {
      if installs[place].download == download.number && installs[place].device == download.device {
        return installs[place]
      }
      place = installs[place].next
    }
    return nil
  }

  private mutating func installPlace(_ fact: Fact, _ step: Step) -> Int {
    if step.transaction != none && fact.download != 0 {
      var place = transactions[step.transaction].firstInstall
      while place != none {
        if installs[place].download == fact.download && installs[place].device == fact.device {
          return place
        }
        place = installs[place].next
      }
      var install = InstallState(
        transaction: step.transaction, download: fact.download, product: 0, device: fact.device)
      install.next = transactions[step.transaction].firstInstall
      transactions[step.transaction].firstInstall = installs.count
      installs.append(install)
      return installs.count - 1
    }
    if fact.device == 0 && fact.download == 0 { couple(.install, fact.product, writes: true) }
    let device = devicePlace(fact.device)
    let product = fact.download == 0 ? fact.product : 0
    var place = devices[device].firstInstall
    while place != none {
      if installs[place].product == product && installs[place].download == fact.download {
        return place
      }
      place = installs[place].next
    }
    var install = InstallState(
      transaction: none, download: fact.download, product: product, device: fact.device)
    install.next = devices[device].firstInstall
    devices[device].firstInstall = installs.count
    installs.append(install)
    return installs.count - 1
  }

  /// The index of the content of a product that `holder` has on a device, or `none`.
  func content(of product: NameNumber, on device: NameNumber, heldBy holder: Holder) -> Int {
    let known = deviceIndex.lookUp(UInt64(device))
    if known < 0 { return none }
    var place = devices[known].firstContent
    while place != none {
      if contents[place].product == product && contents[place].holder == holder { return place }
      place = contents[place].next
    }
    return none
  }

  private mutating func installContent(_ fact: Fact, _ step: Step) {
    let detail = fact.detail
    let version = detail?.fields.contentVersion ?? Name("")
    if step.holder == .nobody && fact.device == 0 { couple(.content, fact.product, writes: true) }
    let place = content(of: fact.product, on: fact.device, heldBy: step.holder)
    if place != none, InstallDowngraded.breaks(version, installed: contents[place]) {
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
    if place == none {
      append(installed)
    } else {
      let next = contents[place].next
      contents[place] = installed
      contents[place].next = next
    }
  }

  private mutating func append(_ content: ContentState) {
    let device = devicePlace(content.device)
    var content = content
    content.next = devices[device].firstContent
    devices[device].firstContent = contents.count
    contents.append(content)
  }

  mutating func removeContent(_ fact: Fact, _ step: Step) {
    if step.holder == .nobody && fact.device == 0 { couple(.content, fact.product, writes: true) }
    let place = content(of: fact.product, on: fact.device, heldBy: step.holder)
    if place != none { contents[place].isPresent = false }
  }

  /// Moves everything that `from` has installed to `to`. If both have a version of one product on
  /// one device, the newest install counts.
  mutating func moveContents(from: Holder, to: Holder) {
    for place in contents.indices where contents[place].holder == from {
      if to == .nobody && contents[place].device == 0 {
        couple(.content, contents[place].product, writes: true)
      }
      let other = content(
        of: contents[place].product, on: contents[place].device, heldBy: to)
      contents[place].holder = to
      if other == none { continue }
      merge(other, into: place)
    }
  }

  /// Merges two rows of the same content, and takes one of them out of its device's list.
  private mutating func merge(_ other: Int, into place: Int) {
    let left = contents[place]
    let right = contents[other]
    let isLeft =
      left.isPresent == right.isPresent ? left.ordinal > right.ordinal : left.isPresent
    let next = left.next
    contents[place] = isLeft ? left : right
    contents[place].next = next
    contents[other].holder = .merged
    contents[other].isPresent = false
  }
}
