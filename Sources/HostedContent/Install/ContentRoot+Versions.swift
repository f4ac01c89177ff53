internal import LedgerEvents
internal import PackageFiles

extension ContentRoot {
  /// Returns the path of a product or version.
  func path(of product: Name, _ version: Name? = nil) -> String {
    path + "/" + product.text + (version.map { "/" + $0.text } ?? "")
  }

  /// Returns the path of a version relative to the root. Events contain this path, so they stay
  /// correct if the root is moved.
  static func relativePath(of product: Name, _ version: Name) -> String {
    product.text + "/" + version.text
  }

  /// Returns the folder of a product; nil if there is none.
  func productFolder(_ product: Name) throws(ContentError) -> FolderHandle? {
    do throws(FolderError) {
      return try folder.folder(product.text)
    } catch  where error.kind == .missing {
      return nil
    } catch {
      throw ContentError(error, at: path)
    }
  }

  /// Checks an installed version as a package. It reads through the open root, so a link that was
  /// put at the version's path has no effect.
  func judge(
    _ product: Name, _ version: Name,
    expecting expectations: PackageExpectations = PackageExpectations()
  ) throws(ContentError) -> PackageReport {
    let path = path(of: product, version)
    let opened = try telling(path) { () throws(FolderError) -> FolderHandle in
      let versions = try folder.folder(product.text)
      return try versions.folder(version.text)
    }
    var package = try OpenedPackage(opened, path: path)
    var sink = NoPackageSink()
    return try PackageInspection.judge(&package, expecting: expectations, into: &sink)
  }

  /// Whether a version's folder exists.
  ///
  /// - Throws: ``ContentError``: `exists` if something else has its name.
  func hasVersion(_ product: Name, _ version: Name) throws(ContentError) -> Bool {
    guard let versions = try productFolder(product) else { return false }
    let location = path(of: product)
    switch try telling(location, { () throws(FolderError) in try versions.kind(of: version.text) })
    {
    case nil: return false
    case .folder: return true
    case .file, .link, .other:
      throw ContentError(
        .exists, path: path(of: product, version),
        "something other than a folder is in the place of the version, and is not overwritten. "
          + "Find out what put it there and move it away.")
    }
  }

  /// Returns the current version; nil if there is none.
  ///
  /// - Throws: ``ContentError``: `exists` if `current` is not a link.
  func currentVersion(of product: Name) throws(ContentError) -> Name? {
    guard let versions = try productFolder(product) else { return nil }
    let location = path(of: product)
    let kind = try telling(location) { () throws(FolderError) in
      try versions.kind(of: ContentName.current)
    }
    guard let kind else { return nil }
    guard kind == .link else {
      throw ContentError(
        .exists, path: location + "/" + ContentName.current,
        "it is not a symbolic link made by daybook, and is not overwritten. Find out what put it "
          + "there and move it away.")
    }
    let target = try telling(location) { () throws(FolderError) in
      try versions.linkTarget(ContentName.current)
    }
    return target.map { Name($0) }
  }

  /// Makes an existing version the current one. At every moment, the link leads to the old or the
  /// new version.
  func makeCurrent(
    _ product: Name, _ version: Name, _ attempt: borrowing Attempt
  ) throws(ContentError) {
    if try currentVersion(of: product) == version { return }
    guard let versions = try productFolder(product) else {
      throw ContentError(.missing, path: path(of: product), "the product's folder has disappeared.")
    }
    try telling(path(of: product)) { () throws(FolderError) in
      try attempt.folder.removeAll(Attempt.linkName)
      try attempt.folder.makeLink(Attempt.linkName, to: version.text)
      try attempt.folder.replace(ContentName.current, in: versions, by: Attempt.linkName)
      try versions.sync()
    }
  }

  /// Returns the products that have a folder, sorted by their bytes.
  func products() throws(ContentError) -> [Name] {
    try telling(path) { () throws(FolderError) in try Self.visible(folder) }
  }

  /// Returns the existing versions of a product, sorted by their bytes.
  func versions(of product: Name) throws(ContentError) -> [Name] {
    guard let versions = try productFolder(product) else { return [] }
    return try telling(path(of: product)) { () throws(FolderError) in try Self.visible(versions) }
  }

  /// Returns the subfolders whose names do not begin with a dot.
  private static func visible(_ folder: borrowing FolderHandle) throws(FolderError) -> [Name] {
    var names: [Name] = []
    for name in try folder.namesInUTF8() where !name.hasPrefix(".") {
      if try folder.kind(of: name) == .folder { names.append(Name(name)) }
    }
    return names
  }

  /// Throws if a product or version is not installed. The error lists what is.
  func refuseAbsence(of product: Name, _ version: Name?) throws(ContentError) {
    for name in [product, version].compactMap({ $0 }) where ContentName.fault(in: name) != nil {
      throw ContentError(.missing, path: path, "“\(name.text)” cannot be installed here.")
    }
    let versions = try versions(of: product)
    if versions.isEmpty, try productFolder(product) == nil {
      let products = try products().map(\.text).joined(separator: ", ")
      throw ContentError(
        .missing, path: path,
        "\(product.text) is not installed here; "
          + (products.isEmpty ? "nothing is." : "installed: \(products)."))
    }
    guard let version, !versions.contains(version) else { return }
    let others = versions.map(\.text).joined(separator: ", ")
    throw ContentError(
      .missing, path: self.path(of: product),
      "version \(version.text) is not installed here; "
        + (others.isEmpty ? "no version is." : "installed: \(others)."))
  }

  /// Removes a product's folder if it is empty.
  func removeProductIfEmpty(_ product: Name) throws(ContentError) {
    do throws(FolderError) {
      guard try folder.kind(of: product.text) == .folder else { return }
      try folder.removeFolder(product.text)
    } catch  where error.kind == .notEmpty || error.kind == .exists {
      // The product has other versions.
      return
    } catch {
      throw ContentError(error, at: path)
    }
  }

  /// Refuses names that cannot be folder names.
  func refuseName(_ product: Name, _ version: Name) throws(ContentError) {
    for (what, name) in [("product", product), ("version", version)] {
      guard let fault = ContentName.fault(in: name) else { continue }
      throw ContentError(
        .refused, path: path,
        "the \(what) “\(name.text)” cannot be a folder name: \(fault).")
    }
    let products = try telling(path) { () throws(FolderError) in try folder.namesInUTF8() }
    try refuseTwin(of: product, among: products, path)
    guard let versions = try productFolder(product) else { return }
    let location = path(of: product)
    let names = try telling(location) { () throws(FolderError) in try versions.namesInUTF8() }
    try refuseTwin(of: version, among: names, location)
  }

  private func refuseTwin(
    of name: Name, among names: [String], _ location: String
  ) throws(ContentError) {
    guard let twin = ContentName.twin(of: name, among: names) else { return }
    throw ContentError(
      .refused, path: location,
      "“\(name.text)” equals the existing “\(twin)” if case and Unicode normalization are ignored, "
        + "as on most devices: rename one of them.")
  }
}
