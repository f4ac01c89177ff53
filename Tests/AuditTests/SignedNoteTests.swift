import LedgerEvents
import LedgerStore
import Testing

@testable import Audit

@Suite("Signed notes and their keys") struct SignedNoteTests {
  /// The example from golang.org/x/mod/sumdb/note.
  private static let secret =
    "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
  private static let verifier =
    "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
  private static let text = """
    If you think cryptography is the answer to your problem,
    then you don't know what your problem is.

    """
  private static let note =
    text + "\n\u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSN"
    + "XgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"

  @Test("a key of Go's has the verifier key that Go says, and signs what Go verifies")
  func goExample() throws {
    let signer = try NoteSigner(Self.secret)
    #expect(signer.verifier.text == Self.verifier)
    #expect(signer.secretText == Self.secret)
    let signed = try signer.sign(Self.text)
    #expect(try signed.signers(of: [signer.verifier]) == [signer.verifier])
    let theirs = try SignedNote(Self.note.utf8)
    #expect(theirs.text == Self.text)
    #expect(theirs.document == Self.note)
    #expect(try theirs.signers(of: [try NoteVerifier(Self.verifier)]).count == 1)
  }

  @Test("the example of the specification verifies")
  func specification() throws {
    let key = try NoteVerifier(
      "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k")
    let note = try SignedNote(
      ("This is an example message.\n\n\u{2014} example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfX"
        + "ppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n").utf8)
    #expect(try note.signers(of: [key]) == [key])
  }

  @Test("a new key is another each time, and reads back")
  func newKeys() throws {
    let (first, second) = (try NoteSigner(name: "a.example/b"), try NoteSigner(name: "a.example/b"))
    #expect(first.verifier != second.verifier)
    #expect(try NoteSigner(first.secretText).verifier == first.verifier)
    #expect(try NoteVerifier(first.verifier.text) == first.verifier)
  }

  @Test(
    "names with spaces, plus signs or control characters are no keys'",
    arguments: ["", "a b", "a+b", "a\u{2003}b", "a\nb", "a\u{7}b"])
  func names(_ name: String) {
    #expect(throws: ProofError(.badKey, "")) { try NoteSigner(name: name) }
  }

  @Test("every other letter of a verifier key makes it none")
  func changedKeys() throws {
    let bytes = Array(Self.verifier.utf8)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(throws: ProofError(.badKey, ""), "byte \(index)") {
        try NoteVerifier(String(decoding: changed, as: UTF8.self))
      }
    }
  }

  @Test("an error about a signing key tells nothing of it")
  func secrecy() throws {
    let cut = String(Self.secret.dropLast(3))
    let error = try #require(throws: ProofError.self) { try NoteSigner(cut) }
    #expect(!error.message.contains("AYEK"))
  }

  @Test("signatures of keys that are not known are carried and not believed")
  func unknown() throws {
    let (mine, other) = (try NoteSigner(name: "mine"), try NoteSigner(name: "other"))
    let note = SignedNote(
      text: "a\n", signatures: try mine.sign("a\n").signatures + other.sign("a\n").signatures)
    #expect(try SignedNote(note.document.utf8).signers(of: [mine.verifier]) == [mine.verifier])
    let stranger = try NoteSigner(name: "mine").verifier
    #expect(throws: ProofError(.notProven, "")) { try note.signers(of: [stranger]) }
    #expect(throws: ProofError(.notProven, "")) { try note.signers(of: []) }
  }

  @Test("a false signature of a known key refuses the note, whoever else has signed")
  func falseSignature() throws {
    let (mine, other) = (try NoteSigner(name: "mine"), try NoteSigner(name: "other"))
    let note = SignedNote(
      text: "a\n", signatures: try mine.sign("a\n").signatures + other.sign("b\n").signatures)
    #expect(throws: ProofError(.notProven, "")) {
      try note.signers(of: [mine.verifier, other.verifier])
    }
  }

  @Test(
    "what is no note is refused",
    arguments: [
      "", "\n", "a", "a\n", "a\n\n", "\n\n\u{2014} a b\n", "a\n\n- a AAAAAAA=\n",
      "a\n\n\u{2014} a AAAA\n", "a\n\n\u{2014} a AAAAAAB=\n", "a\n\n\u{2014}  AAAAAAA=\n",
      "a\n\n\u{2014} a AAAAAAA= \n", "a\r\n\n\u{2014} a AAAAAAA=\n", "a\n\n\u{2014} a AAAAAAA=",
    ])
  func malformed(_ text: String) {
    #expect(throws: ProofError(.malformed, "")) { try SignedNote(text.utf8) }
  }

  @Test(
    "a checkpoint has an origin, a size and a root",
    arguments: [
      "a\n1\n", "a\n01\nw0ztAq+seETNAu4/XExuT9t2HPZIsMpmtDhbQEec0Fg=\n", "a\n1\nw0zt\n",
      "\n1\nw0ztAq+seETNAu4/XExuT9t2HPZIsMpmtDhbQEec0Fg=\n",
      "a\n-1\nw0ztAq+seETNAu4/XExuT9t2HPZIsMpmtDhbQEec0Fg=\n",
      "a\n1\nw0ztAq+seETNAu4/XExuT9t2HPZIsMpmtDhbQEec0Fh=\n",
      "a\n18446744073709551616\nw0ztAq+seETNAu4/XExuT9t2HPZIsMpmtDhbQEec0Fg=\n",
    ])
  func checkpoints(_ text: String) throws {
    let note = try NoteSigner(name: "a").sign(text)
    #expect(throws: ProofError(.malformed, "")) { try SignedCheckpoint(note.document.utf8) }
  }

  @Test("a checkpoint with lines of its own after the root is read, and its origin has to sign")
  func origins() throws {
    let (mine, other) = (try NoteSigner(name: "mine"), try NoteSigner(name: "other"))
    let root = StandardBase64.encode(TreeHash.emptyTree.bytes)
    let text = "mine\n0\n\(root)\nan extension\n"
    let checkpoint = try SignedCheckpoint(try mine.sign(text).document.utf8)
    #expect(checkpoint.size == 0 && checkpoint.root == TreeHash.emptyTree)
    #expect(try checkpoint.signers(of: [mine.verifier]) == [mine.verifier])
    let foreign = try SignedCheckpoint(try other.sign(text).document.utf8)
    #expect(throws: ProofError(.notProven, "")) {
      try foreign.signers(of: [mine.verifier, other.verifier])
    }
  }
}
