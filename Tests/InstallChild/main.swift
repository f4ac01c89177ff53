// Installs content without precautions, for a test that must detect it.
//
//   InstallChild PACKAGE ROOT LEDGER
//     Copies the folder PACKAGE directly to the path of its version 1.1, makes it current, and
//     reports events to the ledger without a journal.

import Foundation
import LedgerEvents
import LedgerStore

let arguments = CommandLine.arguments
let product = "com.example.maps"
let version = "1.1"

func tell(_ ledger: Ledger, _ attempt: String, _ kind: EventKind, _ digest: String? = nil) throws {
  var data = EventData.Builder()
  data.set("contentVersion", version)
  if let digest {
    data.set("path", "\(product)/\(version)")
    data.set("digest", digest)
  }
  try ledger.appendAndWait([
    EventInput(
      event: Event(
        id: Name("content-\(attempt)-\(kind.text)"), type: EventType(kind),
        occurredAt: EventLog.systemClock(), account: "keeper", device: "phone",
        product: Name(product), data: data.build()))
  ])
}

func copy(_ source: URL, _ target: URL) throws {
  try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
  for name in try FileManager.default.contentsOfDirectory(atPath: source.path).sorted() {
    let (from, to) = (source.appending(path: name), target.appending(path: name))
    var isFolder: ObjCBool = false
    _ = unsafe FileManager.default.fileExists(atPath: from.path, isDirectory: &isFolder)
    if isFolder.boolValue { try copy(from, to) } else { try Data(contentsOf: from).write(to: to) }
  }
}

let ledger = try Ledger(at: arguments[3])
let attempt = UUID().uuidString
try tell(ledger, attempt, .contentInstallStarted)
let home = URL(fileURLWithPath: arguments[2]).appending(path: product)
try copy(URL(fileURLWithPath: arguments[1]), home.appending(path: version))
try tell(ledger, attempt, .contentInstalled, "not asked for")
let link = home.appending(path: "current")
let fresh = home.appending(path: ".current-\(attempt)")
try FileManager.default.createSymbolicLink(atPath: fresh.path, withDestinationPath: version)
_ = unsafe rename(fresh.path, link.path)
try tell(ledger, attempt, .contentActivated)
