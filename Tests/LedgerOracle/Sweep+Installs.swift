import LedgerEvents

extension Sweep {
  func install(_ seen: Seen) {
    guard let product = world.product(of: seen) else { return }
    let deviceProduct = DeviceProduct(device: seen.event.device, product: product)
    guard let transaction = seen.transaction, let name = seen.event.download else {
      if let transaction = seen.transaction { failed(seen, transaction) }
      if let name = seen.event.download, seen.transaction == nil {
        let id = DownloadID(download: name, device: seen.event.device)
        strayInstalls[id] = advanced(strayInstalls[id], seen)
      } else {
        productInstalls[deviceProduct] = advanced(productInstalls[deviceProduct], seen)
      }
      if seen.kind == .contentInstalled { installed(seen, deviceProduct) }
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
    if seen.kind == .contentInstalled { installed(seen, deviceProduct) }
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

  /// Handles an installed version, and the rules about it.
  private func installed(_ seen: Seen, _ deviceProduct: DeviceProduct) {
    guard let version = seen.string("contentVersion") else { return }
    let holder = holder(of: seen)
    if let content = holdings.installed(at: deviceProduct, for: holder),
      versionPrecedes(version, content.version)
    {
      note("install-downgraded", seen)
    }
    if seen.isFalse("excludedFromBackup") { note("backup-not-excluded", seen) }
    if let digest = seen.name("digest") { check(digest, seen, version, of: deviceProduct.product) }
    holdings.install(
      InstalledVersion(version: version, install: seen), at: deviceProduct, for: holder)
  }

  /// Checks `digest-mismatch`: a digest that differs from all earlier ones of the product, version
  /// and path.
  private func check(_ digest: Name, _ seen: Seen, _ version: String, of product: Name) {
    let path = seen.name("path")
    let groups = digests[product] ?? []
    guard
      let index = groups.firstIndex(where: { $0.path == path && versionEquals($0.version, version) }
      )
    else {
      let group = DigestGroup(version: version, path: path, digests: [digest])
      digests[product, default: []].append(group)
      return
    }
    if groups[index].digests.contains(where: { $0 != digest }) { note("digest-mismatch", seen) }
    digests[product]?[index].digests.insert(digest)
  }
}
