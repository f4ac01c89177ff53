// Asks a ledger three questions, as a server would for each request:
//
//   Example LEDGER ACCOUNT ITEM [--reviewer]
//
// May the account have the item? What else has it? What is installed? The ledger may be written by
// another process meanwhile: each question is answered with the newest that was acknowledged there.

import Entitlements
import Foundation

let isReviewer = CommandLine.arguments.contains("--reviewer")
let arguments = CommandLine.arguments.dropFirst().filter { $0 != "--reviewer" }
guard arguments.count == 3 else {
  print("usage: Example LEDGER ACCOUNT ITEM [--reviewer]")
  exit(64)
}
let visitor = Visitor(account: arguments[1], isReviewer: isReviewer)

do {
  // One for the whole process, made when it starts. It keeps no copy of the ledger.
  let door = Door(try Entitlements(path: arguments[0]))
  print(door.answer(visitor, arguments[2]))
  for line in try door.belongings(of: visitor) { print(line) }
  for line in try door.installed(by: visitor) { print(line) }
} catch {
  print("\(error)")
  exit(74)
}
