import Foundation
import LedgerEvents
import LedgerStore
import Testing

@testable import Audit

@Suite("A key that a command has") struct CommandSignerTests {
  private let folder: WitnessFolder
  private let key: NoteSigner

  init() throws {
    folder = try WitnessFolder()
    key = try NoteSigner(name: "hsm.example/key")
  }

  private func signer(_ command: String) -> CommandSigner {
    CommandSigner(key.verifier, command: command)
  }

  private func checkpoint(with key: any NoteSigning) throws -> SignedCheckpoint {
    try .sign(size: 0, root: .emptyTree, with: key)
  }

  /// Writes the signature that the command is to return.
  private func signature() throws -> [UInt8] {
    try key.signature(of: Array(try checkpoint(with: key).note.text.utf8))
  }

  @Test("what it signs, as bytes or as base64 on a line, is a signature of the key")
  func signs() throws {
    let bytes = try signature()
    try folder.write(bytes, to: "raw")
    try folder.write(Array((StandardBase64.encode(bytes) + "\n").utf8), to: "line")
    try folder.write(Array(StandardBase64.encode(bytes).utf8), to: "text")
    for name in ["raw", "line", "text"] {
      let signed = try checkpoint(with: signer("cat '\(folder.path(name))'"))
      #expect(try signed.signers(of: [key.verifier]) == [key.verifier])
    }
  }

  @Test("it is given exactly the bytes that are signed, also if it reads none of them")
  func input() throws {
    try folder.write(try signature(), to: "raw")
    let command = "cat >'\(folder.path("given"))'; cat '\(folder.path("raw"))'"
    let signed = try checkpoint(with: signer(command))
    #expect(try folder.read("given") == Array(signed.note.text.utf8))
    let long = [UInt8](repeating: 97, count: 1 << 20)
    #expect(throws: ProofError(.signing, "")) { try signer("exit 1").signature(of: long) }
  }

  @Test("the signature of another key, or of another text, is never used")
  func otherSignature() throws {
    let other = try NoteSigner(name: "hsm.example/key")
    let text = Array(try checkpoint(with: key).note.text.utf8)
    for bytes in [try other.signature(of: text), try key.signature(of: text + [10])] {
      try folder.write(bytes, to: "raw")
      let error = try #require(throws: ProofError.self) {
        try checkpoint(with: signer("cat '\(folder.path("raw"))'"))
      }
      #expect(error.code == .badKey)
    }
  }

  @Test("a command that fails is named, with its exit code or signal and what it said")
  func failures() throws {
    let failed = try #require(throws: ProofError.self) {
      try checkpoint(with: signer("echo no card in the reader >&2; exit 7"))
    }
    #expect(failed.code == .signing)
    #expect(failed.message.contains("exited with 7: no card in the reader"))
    #expect(failed.message.contains("hsm.example/key+"))
    let missing = try #require(throws: ProofError.self) {
      try checkpoint(with: signer("/nowhere/at/all"))
    }
    #expect(missing.message.contains("exited with 127"))
    let killed = try #require(throws: ProofError.self) {
      try checkpoint(with: signer("kill -9 $$"))
    }
    #expect(killed.message.contains("signal 9"))
  }

  @Test(
    "an output that is no signature is refused, however long it is",
    arguments: [
      "true", "printf x", "echo AAAA", "head -c 63 /dev/zero", "head -c 65 /dev/zero",
      "head -c 100000000 /dev/zero",
    ])
  func noSignature(_ command: String) throws {
    let error = try #require(throws: ProofError.self) {
      try checkpoint(with: signer(command))
    }
    #expect(error.code == .signing)
    #expect(error.message.contains("expected 64 bytes"), "\(error)")
  }

  @Test("the key of a witness cosigns by a command, too")
  func witness() throws {
    let witness = try NoteSigner(name: "witness.example/hsm", kind: .witness)
    let checkpoint = try checkpoint(with: key)
    let time: UInt64 = 1_700_000_000
    let message = TimestampedSignature.message(of: Array(checkpoint.note.text.utf8), at: time)
    try folder.write(try witness.signature(of: message), to: "raw")
    let line = try checkpoint.cosignature(
      by: CommandSigner(witness.verifier, command: "cat '\(folder.path("raw"))'"), at: time)
    #expect(try checkpoint.with([line]).cosignatures(of: [witness.verifier]).map(\.time) == [time])
  }
}
