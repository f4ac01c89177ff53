import LedgerEvents

extension Sweep {
  func install(_ seen: Seen) {
    guard let product = world.product(of: seen) else { return }
    let place = DeviceProduct(device: seen.event.device, product: product)
    guard let transaction = seen.transaction, let name = seen.event.download else {
      if let transaction = seen.transaction { failed(seen, transaction) }
      let known = productInstalls[place]
      productInstalls[place] = advanced(known, seen)
      if seen.kind == .contentInstalled { installed(seen, place) }
      return
    }
    let id = DownloadID(download: name, device: seen.event.device)
    let known = transaction.queue.installs[id]
    let begins =
      seen.kind == .contentInstallStarted
      || (seen.kind == .contentInstalled && known?.state != .started)
    if begins, transaction.queue.downloads[id]?.state != .finished {
      note("installed-before-download", seen)
    }
    failed(seen, transaction)
    transaction.queue.installs[id] = advanced(known, seen)
    if seen.kind == .contentInstalled { installed(seen, place) }
  }

  private func failed(_ seen: Seen, _ transaction: Transaction) {
    if seen.kind == .contentInstallFailed { checkContent(seen, transaction) }
  }

  private func advanced(_ known: Install?, _ seen: Seen) -> Install {
    var install =
      known
      ?? Install(state: .failed, wasInstalled: false, newestEvent: seen)
    install.newestEvent = seen
    switch seen.kind {
    case .contentInstallStarted: install.state = .started
    case .contentInstalled:
      install.state = .installed
      install.wasInstalled = true
    default: install.state = .failed
    }
    return install
  }

  /// What an install puts in place, and the rules about it.
  private func installed(_ seen: Seen, _ place: DeviceProduct) {
    guard let version = seen.string("contentVersion") else { return }
    let holder = holder(of: seen)
    if let content = holdings.installed(at: place, for: holder),
      versionPrecedes(version, content.version)
    {
      note("install-downgraded", seen)
    }
    if seen.isFalse("excludedFromBackup") { note("backup-not-excluded", seen) }
    if let digest = seen.name("digest") {
      let earlier = installsByProduct[place.product] ?? []
      if earlier.contains(where: {
        guard let other = $0.name("digest"), other != digest,
          let its = $0.string("contentVersion")
        else { return false }
        return versionEquals(its, version) && $0.name("path") == seen.name("path")
      }) {
        note("digest-mismatch", seen)
      }
    }
    installsByProduct[place.product, default: []].append(seen)
    holdings.install(
      InstalledVersion(version: version, install: seen), at: place, for: holder)
  }
}
