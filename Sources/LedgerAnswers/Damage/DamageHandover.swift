/// How a process that a damaged page ends calls on `daybook` to say where the damage is.
package enum DamageHandover {
  /// The first argument of `daybook` then.
  package static let mark = "---damage-notice"

  /// The arguments of `daybook`, beginning with its name.
  package static func words(_ signal: Int32, ledger: String) -> [String] {
    ["daybook", mark, "\(signal)", ledger]
  }
}
