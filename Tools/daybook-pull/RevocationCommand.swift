import ArgumentParser
import Foundation
import SignedStoreData
import StorePull

struct RevocationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revocation",
    abstract: "Asks whether the certificates that signed were revoked.",
    discussion: """
      Reads signed texts as `daybook import` does, a notification, a transaction or a saved \
      answer, and asks the responders that their certificates name (OCSP). Each certificate is \
      asked about once. The exit code is 65 if one was revoked or a text is forged, and 75 if \
      nobody could say: a network fault is not taken for a forgery. No ledger is read or written. \
      Example:

        daybook pull revocation notification.json answers/*.json
      """)

  @Argument(help: "Files with signed texts.", completion: .file())
  var files: [String]

  @Option(
    name: .customLong("root"),
    help: ArgumentHelp(
      "Trusts the certificates in a file in place of Apple's. May be repeated.", valueName: "file"),
    completion: .file())
  var roots: [String] = []

  @Option(help: "Output format: table, json or jsonl.")
  var format: PullFormat = .table

  private static let (forged, tryAgain) = (ExitCode(65), ExitCode(75))

  func run() async throws {
    try await answering {
      let trusted = try TrustedRoots.named(roots)
      var isForged = false
      var found: [(chain: SignerChain, count: Int)] = []
      for file in files {
        let texts = try signedTexts(of: file, trusted)
        for refusal in texts.refusals {
          PullConsole.complain("\(file): \(refusal.code): \(refusal)")
        }
        isForged = isForged || !texts.refusals.isEmpty
        if texts.localCount > 0 {
          PullConsole.complain(
            "\(file): \(texts.localCount) of \(texts.count) signed texts are of local tests, whose "
              + "certificate nobody can revoke.")
        }
        for chain in texts.chains {
          let count = texts.counts[chain] ?? 0
          if let index = found.firstIndex(where: { $0.chain == chain }) {
            found[index].count += count
          } else {
            found.append((chain, count))
          }
        }
      }
      let rows = try await asked(found)
      print(rows)
      if isForged || rows.contains(where: { $0.answer.answer == .revoked }) { throw Self.forged }
      if rows.contains(where: { $0.answer.answer != .good }) { throw Self.tryAgain }
    }
  }

  private func signedTexts(of file: String, _ trusted: TrustedRoots) throws -> SignedTexts {
    let texts: SignedTexts
    do throws(PullError) {
      texts = try SignedTexts(try InputFile.bytes(of: file), roots: trusted)
    } catch { throw PullError(error.kind, "\(file): \(error.message)") }
    guard texts.count > 0 else {
      throw PullError(.badFile, "\(file): expected signed texts, found none.")
    }
    return texts
  }

  // MARK: - Asking

  /// A certificate, and how many texts are believed by it.
  private struct Row {
    let answer: CertificateAnswer
    var count: Int
  }

  private func asked(_ found: [(chain: SignerChain, count: Int)]) async throws -> [Row] {
    try await HTTPTransport.using(answerSeconds: RevocationCheck.answerSecondsMax) { transport in
      let check = RevocationCheck(
        transport: transport, asksThisMachine: !roots.isEmpty, userAgent: "daybook-pull")
      var rows: [Row] = []
      for (chain, count) in found {
        for answer in await check.answers(about: chain) {
          let fingerprint = answer.certificate.fingerprint
          if let index = rows.firstIndex(where: {
            $0.answer.certificate.fingerprint == fingerprint
          }) {
            rows[index].count += count
          } else {
            rows.append(Row(answer: answer, count: count))
          }
        }
      }
      return rows
    }
  }

  // MARK: - Answering

  private func print(_ rows: [Row]) {
    switch format {
    case .jsonl: for row in rows { PullConsole.print(Self.json(row)) }
    case .json: PullConsole.print("[" + rows.map(Self.json).joined(separator: ",\n") + "]")
    case .table:
      guard !rows.isEmpty else { return PullConsole.print("nobody can revoke what signed these") }
      PullConsole.table(
        ["certificate", "serial", "signed texts", "answer", "subject"],
        rows.map {
          [
            $0.answer.certificate.role.rawValue, $0.answer.certificate.serialNumber,
            "\($0.count)", Self.word($0.answer.answer), $0.answer.certificate.subject,
          ]
        })
    }
    for row in rows { explain(row) }
  }

  private func explain(_ row: Row) {
    let name =
      "the \(row.answer.certificate.role) certificate "
      + row.answer.certificate.serialNumber
    switch row.answer.answer {
    case .good: break
    case .revoked:
      PullConsole.complain(
        "\(name) was revoked, says \(row.answer.responder ?? "its issuer"): do not believe the "
          + "\(row.count) signed texts that depend on it without asking Apple.")
    case .unanswered(let reason):
      PullConsole.complain(
        "nobody said whether \(name) was revoked: \(reason). That proves nothing: try again.")
    }
  }

  private static func word(_ answer: RevocationAnswer) -> String {
    switch answer {
    case .good: "good"
    case .revoked: "revoked"
    case .unanswered: "unanswered"
    }
  }

  private static func json(_ row: Row) -> String {
    let certificate = row.answer.certificate
    var reason: String?
    if case .unanswered(let text) = row.answer.answer { reason = text }
    var line = JSONLine()
    line.add("certificate", certificate.role.rawValue)
    line.add("subject", certificate.subject)
    line.add("serialNumber", certificate.serialNumber)
    line.add("sha256", certificate.fingerprint.description)
    line.add("responder", row.answer.responder)
    line.add("signedTexts", row.count)
    line.add("answer", word(row.answer.answer))
    line.add("reason", reason)
    return line.text
  }
}
