/// The version of the programs, by semantic versioning.
package enum ProgramVersion {
  package static let current = "0.1.0"
}
