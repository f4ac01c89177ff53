import Foundation

do {
  exit(try Runner(Options(CommandLine.arguments.dropFirst())).run())
} catch {
  print("\(error)")
  exit(1)
}
