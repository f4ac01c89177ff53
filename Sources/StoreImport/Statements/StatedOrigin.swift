import LedgerEvents
import SignedStoreData

/// The app and the environment that decoded data states, or the options where it states none.
struct StatedOrigin {
  let app: Name?
  let environment: StoreEnvironment

  init(
    _ content: StoreObject, as kind: SignedDataKind, _ options: ImportOptions
  ) throws(ImportError) {
    var part = content
    var environmentName = "environment"
    var stated: String?
    switch kind {
    case .transaction, .renewal: break
    case .appTransaction: environmentName = "receiptType"
    case .notification:
      for name in ["data", "summary", "appData", "externalPurchaseToken"] {
        guard let found = try content.object(name) else { continue }
        part = found
        if name == "externalPurchaseToken" {
          // The tokens of tests say so at their beginning.
          let isTest = try found.text("externalPurchaseId")?.hasPrefix("SANDBOX") == true
          stated = isTest ? "Sandbox" : "Production"
        }
        break
      }
    }
    let named = try part.text("bundleId").map { Name($0) }
    if let named, let app = options.app, named != app {
      throw ImportError(
        .contradiction, path: part.path(of: "bundleId"),
        reason: "it is for the app \"\(named)\", not for \"\(app)\"",
        remedy: "Leave the app out, or import that app's data")
    }
    app = named ?? options.app
    let path = part.path(of: environmentName)
    let text = stated == nil ? try part.text(environmentName) : stated
    var found: StoreEnvironment?
    if let text { found = try Receipt.environment(named: text, path: path) }
    if let found, let named = options.environment, found != named {
      throw ImportError(
        .contradiction, path: path, reason: "it is from \(found.text), not from \(named.text)",
        remedy: "Leave the environment out, because this file states its own")
    }
    guard let environment = found ?? options.environment else {
      throw ImportError(
        .missing, path: path, reason: "the file does not state its store environment",
        remedy: "Pass it with --environment: production for real purchases, sandbox for tests")
    }
    self.environment = environment
  }
}
