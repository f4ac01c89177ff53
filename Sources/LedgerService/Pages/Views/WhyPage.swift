import Audit
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import LedgerStore

/// That events are in the log: where each is in the tree over all events.
struct LogEvidence: Sendable {
  let root: TreeHash
  let size: UInt64
  let proofs: [UInt64: InclusionProof]

  /// - Complexity: O(log² *n*) lookups for each event.
  init(_ positions: [UInt64], _ view: LedgerView) throws(LedgerError) {
    size = view.log.lastPosition
    root = try view.log.root(at: size)
    var proofs: [UInt64: InclusionProof] = [:]
    for position in positions {
      proofs[position] = try view.log.inclusionProof(of: position, at: size)
    }
    self.proofs = proofs
  }
}

/// Why a customer has something, or has not: the events that decide it, what would be without each,
/// and that they are in the log.
struct WhyPage {
  let report: ExplainReport
  let evidence: LogEvidence
  let reference: CustomerReference
  let moment: PageMoment

  private var explanation: Explanation { report.explanation }
  private var words: AnswerWords { PageTime.words }

  var page: Page {
    let name = explanation.name.text
    let isPast = moment.clocks.asOf != nil
    let asOf = isPast ? ", as of position \(explanation.position)," : ""
    var body: HTML = "<p class=\"eyebrow\">Why?</p><h1>\(words.verdict(report))</h1>\n"
    body += "<p class=\"lead\">\(words.reason(report, asOf))</p>\n"
    body += near
    if !explanation.steps.isEmpty {
      body += .section("steps", "What decides it", steps(explanation.steps, withoutThem: true))
    }
    if let learned = explanation.learned {
      body += .section("learned", "Learned since", self.learned(learned))
    }
    if !report.advice.isEmpty {
      let items = report.advice.map { "<li>\($0)</li>" as HTML }.joined()
      body += .section("advice", "What to do", "<ul>" + items + "</ul>\n")
    }
    if !report.circumstances.devices.isEmpty {
      let items = report.circumstances.devices.map { "<li>\(words.text($0))</li>" as HTML }
      body += .section("devices", "Devices", "<ul>" + items.joined() + "</ul>\n")
    }
    if !report.circumstances.findings.isEmpty {
      body += .section(
        "findings", "Findings", FindingCards(findings: report.circumstances.findings).html)
    }
    if !explanation.steps.isEmpty { body += .section("proof", "Proof", proof) }
    let back = moment.address("/customer", [PageAddress.item(reference)])
    body += "<p>\(HTML.link(back, "Back to the customer"))</p>\n"
    return Page(
      title: "Why? \(name.prefix(40))", place: .search, body: body,
      position: explanation.position)
  }

  /// What was probably meant.
  private var near: HTML {
    var html = HTML()
    if let name = report.circumstances.nearName {
      let other = moment.address(
        "/why", [PageAddress.item(reference), ("name", name.text)])
      html += "<p>\(HTML.link(other, "Ask about \(name.text)"))</p>\n"
    }
    if let account = report.circumstances.nearAccount {
      html += "<p>\(HTML.link(.account(account), "Go to \(account.text)"))</p>\n"
    }
    return html
  }

  private func steps(_ steps: [Explanation.Step], withoutThem: Bool) -> HTML {
    var html: HTML = "<ol class=\"steps\">\n"
    for step in steps {
      let recorded = step.event
      html += "<li><p class=\"what\">\(HTML.glance(step.text))</p>"
      html +=
        "<p class=\"soft\">\(HTML.link(.event(recorded.position), "Event \(recorded.position)"))"
      html += ", happened \(HTML.time(recorded.event.occurredAt)), "
      html += "recorded \(HTML.time(recorded.recordedAt)), "
      html += "said by \((recorded.event.source ?? EventSource(.app)).text)</p>"
      html += "<dl class=\"pairs\">"
      if step.before != step.after {
        html += "<dt>Before it</dt><dd>\(words.text(step.before))</dd>"
        html += "<dt>After it</dt><dd>\(words.text(step.after))</dd>"
      }
      if withoutThem {
        html += "<dt>Without it</dt><dd>\(words.without(step, report))</dd>"
      }
      html += "</dl>" + EventTable.raw(recorded) + "</li>\n"
    }
    return html + "</ol>\n"
  }

  private func learned(_ learned: Explanation.Learned) -> HTML {
    var html: HTML = "<p>Up to position \(learned.position), about the same store time: "
    html += "\(words.text(learned.holdings))"
    html += learned.steps.isEmpty ? ".</p>\n" : ", because of these events:</p>\n"
    return html + steps(learned.steps, withoutThem: false)
  }

  private var proof: HTML {
    var html: HTML = "<p>None of these events can be left out without another answer, and each is "
    html += "in the log, whose \(evidence.size) events have one fingerprint:</p>"
    html += "<p class=\"hash\">\(evidence.root.hexadecimal)</p>"
    html += "<p>If one byte of them were another, it would be, too. "
    html += "<code>daybook checkpoint</code> signs the fingerprint, and "
    html += "<code>daybook prove POSITION</code> writes a file that anybody can check without this "
    html += "service.</p>\n"
    for step in explanation.steps {
      let position = step.event.position
      guard let proof = evidence.proofs[position] else { continue }
      html += "<details><summary>Event \(position): leaf \(proof.index) of \(proof.size), "
      html += "\(proof.path.count.counted("hash", "hashes")) to the fingerprint</summary>"
      html += "<ol class=\"hashes\">"
      for hash in proof.path { html += "<li class=\"hash\">\(hash.hexadecimal)</li>" }
      html += "</ol></details>\n"
    }
    return html
  }
}
