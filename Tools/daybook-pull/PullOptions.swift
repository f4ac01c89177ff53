import ArgumentParser
import Foundation
import LedgerEvents
import ServiceAccess
import SignedStoreData
import StorePull

/// What every command needs to ask the store: the app, its key, and where.
struct StoreOptions: ParsableArguments {
  @Option(help: "The app's bundle identifier.")
  var app: String

  @Option(
    help: ArgumentHelp(
      "The private key of App Store Connect, a .p8 file (default: $DAYBOOK_STORE_KEY).",
      valueName: "file"),
    completion: .file(extensions: ["p8"]))
  var key: String?

  @Option(
    name: .customLong("key-id"),
    help: ArgumentHelp(
      "The key's identifier (default: $DAYBOOK_STORE_KEY_ID, else the one in the file's name).",
      valueName: "id"))
  var keyID: String?

  @Option(
    help: ArgumentHelp(
      "The issuer, a UUID above the list of keys (default: $DAYBOOK_STORE_ISSUER).",
      valueName: "id"))
  var issuer: String?

  @Option(
    help: ArgumentHelp(
      "Only this environment: production or sandbox (default: production; a transaction that is "
        + "unknown there is looked for in the sandbox)."))
  var environment: StoreHost.Environment?

  @Option(
    help: ArgumentHelp(
      "The server of production (default: \(StoreHost.production)).", valueName: "url"))
  var host: String = StoreHost.production

  @Option(
    name: .customLong("sandbox-host"),
    help: ArgumentHelp(
      "The server of the sandbox (default: \(StoreHost.sandbox)).", valueName: "url"))
  var sandboxHost: String = StoreHost.sandbox

  @Option(
    help: ArgumentHelp(
      "The ledger's folder (default: $DAYBOOK_LEDGER, else ./daybook.ledger).", valueName: "path"),
    completion: .directory)
  var ledger: String?

  @Option(
    help: ArgumentHelp(
      "Where answers and how far they were pulled are kept (default: the ledger's path and .pull).",
      valueName: "path"),
    completion: .directory)
  var folder: String?

  @Option(
    name: .customLong("daybook"),
    help: ArgumentHelp(
      "The program that imports (default: daybook beside this program, else on the PATH).",
      valueName: "path"))
  var program: String?

  @Option(
    name: .customLong("answer-timeout"),
    help: ArgumentHelp(
      "How long a whole answer of the store may take, in seconds: 1 to \(answerSecondsMax).",
      valueName: "seconds"))
  var answerTimeout: Int64 = 45

  /// Below the time before its end at which a token is renewed.
  private static let answerSecondsMax = BearerTokens.renewalSeconds - 5

  @Option(help: "Output format: table, json or jsonl.")
  var format: PullFormat = .table

  @Flag(help: "Keep the answers after they were imported.")
  var keep = false

  func validate() throws {
    guard Self.isBundleID(app) else {
      throw ValidationError("--app expects a bundle identifier such as com.example.tides.")
    }
    guard ledger?.isEmpty != true else {
      throw ValidationError("--ledger is empty: name the ledger's folder.")
    }
    guard (1...Self.answerSecondsMax).contains(answerTimeout) else {
      throw ValidationError("--answer-timeout expects 1 to \(Self.answerSecondsMax) seconds.")
    }
    _ = try checked { () throws(PullError) in try hosts() }
  }

  private static func isBundleID(_ text: String) -> Bool {
    !text.isEmpty && !text.hasPrefix(".")
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") }
  }

  private func checked<Answer>(_ body: () throws(PullError) -> Answer) throws -> Answer {
    do throws(PullError) { return try body() } catch { throw ValidationError(error.message) }
  }

  /// The environments that are asked, in this order.
  var environments: [StoreHost.Environment] {
    environment.map { [$0] } ?? [.production, .sandbox]
  }

  func hosts() throws(PullError) -> [StoreHost.Environment: StoreHost] {
    [.production: try StoreHost(host), .sandbox: try StoreHost(sandboxHost)]
  }

  var ledgerPath: String { ledger ?? Self.variable("DAYBOOK_LEDGER") ?? "daybook.ledger" }

  /// The folder of the app. Several apps may share a ledger. What is imported unverified has one of
  /// its own: the cursors of verified pulls must not move behind what nobody verified.
  private func folderPath(_ importer: ImporterOptions) -> String {
    let parent =
      folder
      ?? String(ledgerPath.reversed().drop { $0 == "/" }.reversed()) + ".pull"
    return parent + "/" + app + (importer.unverified ? "/unverified" : "")
  }

  /// Opens the pull folder, or makes it.
  ///
  /// - Throws: ``PullError``: `refused` if it is inside of the ledger; `daybook` if root must not
  ///   import into the ledger, and so not pull; and what the folder throws.
  func pullFolder(_ importer: ImporterOptions) throws(PullError) -> PullFolder {
    let path = folderPath(importer)
    if let refusal = LedgerOwner.refusal(ledger: ledgerPath) {
      throw PullError(.daybook(77), refusal)
    }
    try refuseInsideLedger(path)
    try makeParent(of: path)
    return try PullFolder(path: path, keeps: keep)
  }

  static func variable(_ name: String) -> String? {
    let value = ProcessInfo.processInfo.environment[name] ?? ""
    return value.isEmpty ? nil : value
  }

  func tokens() throws -> BearerTokens {
    guard let path = key ?? Self.variable("DAYBOOK_STORE_KEY") else {
      throw ValidationError(
        "name the private key with --key FILE or DAYBOOK_STORE_KEY: the .p8 file that App Store "
          + "Connect gives under Users and Access, Integrations, In-App Purchase.")
    }
    let name = URL(fileURLWithPath: path).lastPathComponent
    guard
      let keyID = keyID ?? Self.variable("DAYBOOK_STORE_KEY_ID")
        ?? StoreKey.identifier(inFileName: name)
    else {
      throw ValidationError(
        "name the key's identifier with --key-id: \(name) does not contain it, as the name "
          + "SubscriptionKey_2X9R4HXF34.p8 does.")
    }
    guard let issuer = issuer ?? Self.variable("DAYBOOK_STORE_ISSUER") else {
      throw ValidationError(
        "name the issuer with --issuer or DAYBOOK_STORE_ISSUER: the UUID above the list of keys in "
          + "App Store Connect.")
    }
    let bytes: [UInt8]
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      bytes = [UInt8](try file.read(upToCount: StoreKey.fileBytesMax) ?? Data())
    } catch {
      throw PullError(
        .badKey, "the private key \(path) cannot be read: \(error.localizedDescription)")
    }
    return BearerTokens(
      key: try StoreKey(file: bytes, name: path), keyID: keyID, issuer: issuer, bundleID: app)
  }
}

/// What the importer needs besides; the same options as those of `daybook import`.
struct ImporterOptions: ParsableArguments {
  @Option(
    name: .customLong("app-apple-id"),
    help: ArgumentHelp(
      "The app's number in the App Store, which production's notifications must state.",
      valueName: "number"))
  var appAppleID: Int64?

  @Option(
    name: .customLong("root"),
    help: ArgumentHelp(
      "Trusts the certificates in a file in place of Apple's. May be repeated.", valueName: "file"),
    completion: .file())
  var roots: [String] = []

  @Option(
    name: .customLong("pin"),
    help: ArgumentHelp(
      "The SHA-256 of a local test's certificate to believe. May be repeated.",
      valueName: "sha256"))
  var pins: [String] = []

  @Flag(help: "Imports without verifying signatures, and records that.")
  var unverified = false

  @Flag(
    help: "Records the claim of an account on another customer's purchase, without effect.")
  var claim = false

  @Flag(
    name: .customLong("check-revocation"),
    help: "Asks before an import whether a certificate that signed was revoked.")
  var checkRevocation = false

  func validate() throws {
    guard !checkRevocation || !unverified else {
      throw ValidationError(
        "--check-revocation asks about certificates, which --unverified does not look at.")
    }
  }

  func trustedRoots() throws -> TrustedRoots { try TrustedRoots.named(roots) }

  /// The options of `daybook import`.
  var words: [String] {
    var words: [String] = []
    if let appAppleID { words.append("--app-apple-id=\(appAppleID)") }
    // Joined, so that no value is taken for an option.
    for root in roots { words.append("--root=\(root)") }
    for pin in pins { words.append("--pin=\(pin)") }
    if unverified { words.append("--unverified") }
    if claim { words.append("--claim") }
    return words
  }

  /// Refuses a pull that the importer would refuse after the first page.
  func checkNotifications(of environment: StoreHost.Environment) throws {
    guard environment == .production, appAppleID == nil, !unverified else { return }
    throw ValidationError(
      "--app-apple-id is needed: notifications of production state the app's number in the App "
        + "Store, and are believed only for yours.")
  }
}

extension StoreHost.Environment: ExpressibleByArgument {}

/// How a command answers.
enum PullFormat: String, ExpressibleByArgument, CaseIterable {
  case table
  case json
  case jsonl
}

extension StoreOptions {
  /// Refuses a pull folder in the ledger's own, whose files belong to LMDB, by links, too.
  ///
  /// - Throws: ``PullError``: `refused`.
  private func refuseInsideLedger(_ folderPath: String) throws(PullError) {
    let ledger = Self.resolved(ledgerPath)
    let pull = Self.resolved(folderPath)
    guard pull != ledger, !pull.hasPrefix(ledger + "/") else {
      throw PullError(
        .refused,
        "the pull folder \(folderPath) is inside of the ledger \(ledgerPath), whose files are the "
          + "ledger's alone: name another --folder, or none for \(ledgerPath).pull.")
    }
  }

  /// A path without links, as far as it exists.
  private static func resolved(_ path: String) -> String {
    let start = path.hasPrefix("/") ? "" : FileManager.default.currentDirectoryPath + "/"
    var there = (start + path).split(separator: "/").map(String.init)
    var missing: [String] = []
    func joined(_ names: [String]) -> String { "/" + names.joined(separator: "/") }
    while !there.isEmpty, !FileManager.default.fileExists(atPath: joined(there)) {
      missing.insert(there.removeLast(), at: 0)
    }
    let real = URL(fileURLWithPath: joined(there)).resolvingSymlinksInPath()
    return URL(fileURLWithPath: real.path + joined(missing)).standardizedFileURL.path
  }

  /// Makes the folder in which the pull folder is.
  private func makeParent(of folderPath: String) throws(PullError) {
    let parent = URL(fileURLWithPath: folderPath).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(
        at: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw PullError(.disk, "\(parent.path) cannot be made: \(error.localizedDescription)")
    }
  }
}
