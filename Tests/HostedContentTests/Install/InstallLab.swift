import Foundation
import HostedContent
import LedgerEvents
import LedgerQueries
import Testing
import TracedProcesses

/// A folder of content with version 1.0 installed by the program, and a package of 1.1. Processes
/// work on copies of it.
final class InstallLab {
  static let product = "com.example.maps"
  static let owner = ["--account", "keeper", "--device", "phone"]
  private static let delivery = ["--transaction", "t-1", "--download", "d-1"]

  let folder: URL
  private let base: URL
  /// The digests of the packages, by version.
  private var digests: [String: String] = [:]
  private var copies = 0

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "daybook-\(UUID().uuidString)")
    base = folder.appending(path: "base")
    try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
    for version in ["1.0", "1.1"] {
      try makePackage(version, files: 3)
      let report = try PackageInspection.judge(path: package(version))
      try #require(report.isValid, "\(report.faults)")
      digests[version] = report.digest.description
    }
    try #require(try TracedProcess.run(["init", ledger(base)]).status == 0)
    let made = try TracedProcess.run(install("1.0", base, delivery: []))
    try #require(made.status == 0, "\(made.errors)")
  }

  deinit {
    do { try FileManager.default.removeItem(at: folder) } catch { print("left \(folder.path)") }
  }

  /// Writes a package as a folder and returns its path.
  func makePackage(
    _ version: String, files: Int, bytes: Int = 40, as name: String? = nil
  ) throws {
    let package = folder.appending(path: "maps-\(name ?? version)")
    let contents = package.appending(path: "Contents/tiles")
    try FileManager.default.createDirectory(at: contents, withIntermediateDirectories: true)
    try Self.info(Self.product, version).write(
      to: package.appending(path: "ContentInfo.plist"))
    for number in 0..<files {
      let line = "\(name ?? version), tile \(number) "
      let text = String(repeating: line, count: 1 + bytes / line.utf8.count)
      let parent = number == 0 ? package.appending(path: "Contents") : contents
      try Data(text.utf8).write(to: parent.appending(path: "tile-\(number).txt"))
    }
  }

  static func info(_ product: String, _ version: String) throws -> Data {
    try PropertyListSerialization.data(
      fromPropertyList: ["ContentVersion": version, "IAPProductIdentifier": product],
      format: .xml, options: 0)
  }

  func package(_ version: String) -> String { folder.appending(path: "maps-\(version)").path }

  func root(_ sandbox: URL) -> String { sandbox.appending(path: "content").path }

  func ledger(_ sandbox: URL) -> String { sandbox.appending(path: "ledger").path }

  /// Returns a copy of a state. The default is the state with 1.0 installed.
  func copy(of state: URL? = nil) throws -> URL {
    copies += 1
    let sandbox = folder.appending(path: "copy-\(copies)")
    try FileManager.default.copyItem(at: state ?? base, to: sandbox)
    return sandbox
  }

  func remove(_ sandbox: URL) throws { try FileManager.default.removeItem(at: sandbox) }

  /// Returns a command on the folder of content, by its owner.
  func content(_ verb: String, _ words: [String] = [], _ sandbox: URL) -> [String] {
    ["content", verb, root(sandbox)] + words + ["--ledger", ledger(sandbox)]
  }

  /// Returns the command that installs a version.
  func install(_ version: String, _ sandbox: URL, delivery: [String]? = nil) -> [String] {
    [
      "content", "install", package(version), "--into", root(sandbox), "--ledger", ledger(sandbox),
    ] + Self.owner + (delivery ?? Self.delivery)
  }
}

// MARK: - Processes

extension InstallLab {
  /// Returns the calls of a command on a copy of a state, as in ``copy(of:)``. The default is an
  /// install of 1.1.
  func trace(
    of state: URL? = nil, _ command: ((URL) -> [String])? = nil
  ) throws -> CallTrace {
    let sandbox = try copy(of: state)
    let calls = try CallTrace(
      try TracedProcess.executable(), command?(sandbox) ?? install("1.1", sandbox),
      about: ledger(sandbox), in: folder.appending(path: "trace"))
    try remove(sandbox)
    return calls
  }
}

// MARK: - Checks

extension InstallLab {
  /// Returns the errors in the visible content at any moment: a version must be current, and every
  /// existing version must be whole.
  func faultsInSight(_ sandbox: URL) throws -> [String] {
    var faults: [String] = []
    let product = root(sandbox) + "/" + Self.product
    // After the removal of the whole product, nothing is visible.
    guard FileManager.default.fileExists(atPath: product) else { return [] }
    let versions = try FileManager.default.contentsOfDirectory(atPath: product)
      .filter { $0 != "current" }
    let current = try FileManager.default.destinationOfSymbolicLink(atPath: product + "/current")
    if !versions.contains(current) { faults.append("\(current) is current and not there") }
    for version in versions {
      let report = try PackageInspection.judge(path: product + "/" + version)
      if report.digest.description != digests[version] {
        faults.append("\(version) is there and not whole")
      }
    }
    return faults
  }

  /// Returns the errors on the disk and in the ledger after the install was run again to its end.
  func faultsAtTheEnd(_ sandbox: URL) throws -> [String] {
    var faults = try faultsInSight(sandbox)
    let product = root(sandbox) + "/" + Self.product
    let current = try FileManager.default.destinationOfSymbolicLink(atPath: product + "/current")
    if current != "1.1" { faults.append("\(current) is current") }
    faults += try attemptsLeft(sandbox)
    return faults + (try faultsInLedger(sandbox)) + (try faultsOfAudit(sandbox))
  }

  /// Whether the ledger does not say that a version which is there could not be installed.
  func isRightlyReported(_ version: String, _ sandbox: URL) throws -> Bool {
    let path = "\(root(sandbox))/\(Self.product)/\(version)"
    guard FileManager.default.fileExists(atPath: path) else { return true }
    let last = try events(sandbox).last { event in
      event.data.string("contentVersion") == version
        && [.contentInstalled, .contentInstallFailed].contains(event.type.kind)
    }
    return last?.type.kind != .contentInstallFailed
  }

  func attemptsLeft(_ sandbox: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root(sandbox) + "/.daybook/attempts")
      .map { "\($0) is left" }
  }

  func current(_ sandbox: URL) throws -> String {
    try FileManager.default.destinationOfSymbolicLink(
      atPath: "\(root(sandbox))/\(Self.product)/current")
  }

  func faultsOfAudit(_ sandbox: URL) throws -> [String] {
    let audit = try TracedProcess.run([
      "content", "audit", root(sandbox), "--ledger", ledger(sandbox),
    ])
    return audit.status == 0 ? [] : ["audit: \(audit.output)\(audit.errors)"]
  }

  /// Every start has one end, and 1.1 was installed and activated exactly once.
  private func faultsInLedger(_ sandbox: URL) throws -> [String] {
    var faults: [String] = []
    var ends: [Substring: Int] = [:]
    var (installed, activated) = (0, 0)
    for event in try events(sandbox) {
      let attempt = event.id.text.dropLast(event.type.text.utf8.count)
      let is11 = event.data.string("contentVersion") == "1.1"
      switch event.type.kind {
      case .contentInstallStarted: ends[attempt, default: 0] += 0
      case .contentInstalled:
        if is11 { installed += 1 }
        ends[attempt, default: 10] += 1
      case .contentInstallFailed: ends[attempt, default: 10] += 1
      case .contentActivated: if is11 { activated += 1 }
      default: faults.append("\(event.type.text) is reported")
      }
    }
    for (attempt, count) in ends where count != 1 { faults.append("\(attempt) ends \(count)") }
    if installed != 1 { faults.append("installed \(installed) times") }
    if activated != 1 { faults.append("activated \(activated) times") }
    return faults
  }

  func events(_ sandbox: URL) throws -> [Event] {
    let ledger = try Ledger(at: ledger(sandbox), access: .readOnly)
    var events: [Event] = []
    try ledger.read { (view) throws(LedgerError) in
      try view.events(EventsQuery()) { recorded in
        events.append(recorded.event)
        return true
      }
    }
    try ledger.close()
    return events
  }
}
