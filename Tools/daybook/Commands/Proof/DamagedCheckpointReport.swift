import Audit
import LedgerAnswers
import LedgerEvents
import LedgerStore

/// What checkpoints say of a log with damaged pages, which only a reader that checks every page may
/// read.
struct DamagedCheckpointReport {
  let files: [String]
  let checkpoints: [SignedCheckpoint]
  /// The roots by the sizes of the checkpoints, where they are known.
  let roots: [UInt64: ReadableRoot]

  var lines: [String] {
    zip(files, checkpoints).map { "\($0): \(words($1))".printable }
  }

  /// Whether everything that can be read is as it was signed; nil if that cannot be judged.
  ///
  /// A root that fits proves it. One that does not fit proves nothing: damage and a change look the
  /// same.
  private func fits(_ checkpoint: SignedCheckpoint) -> Bool? {
    roots[checkpoint.size]?.root == checkpoint.root ? true : nil
  }

  private func words(_ checkpoint: SignedCheckpoint) -> String {
    let size = checkpoint.size
    guard let found = roots[size] else {
      return
        "whether the first \(size) events are those that were signed cannot be judged: damaged "
        + "pages hide too much of them"
    }
    guard found.root == checkpoint.root else {
      return
        "whether the first \(size) events are those that were signed cannot be judged: what can be "
        + "read of them has another root, and damage or a change explains that"
    }
    let signed = "those that \(checkpoint.origin.text) signed"
    if found.eventsUnread == 0 { return "the first \(size) events can be read, and are \(signed)" }
    return
      "\(size - found.eventsUnread) of the first \(size) events can be read, and are \(signed); "
      + "the hashes of the other \(found.eventsUnread) are the signed ones, too"
  }

  func write(to json: inout JSONText) {
    json.member("checkpoints", each: Array(zip(files, checkpoints))) { json, named in
      json.object { json in
        json.member("file", named.0)
        json.member("origin", named.1.origin.text)
        json.member("position", named.1.size)
        json.member("signedRoot", named.1.rootText)
        json.member("fits", fits(named.1))
        json.member("message", words(named.1))
      }
    }
  }
}
