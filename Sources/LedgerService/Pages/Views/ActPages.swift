import Audit
import HTTPTypes
import LedgerAnswers
import LedgerEvents
import LedgerQueries
import ServiceAccess

/// The acts of operators: a form, then what it would change, and only then the act itself.
struct ActPages {
  /// A field of an act's form.
  private struct Field {
    let name: String
    let label: String
    var hint: String?
    var isRequired = false
    var type = "text"
  }

  let kind: ActRequest.Kind
  let visitor: PageVisitor

  /// What a form states beside the members of the act.
  static let formNames = [PageDoor.formField, "step"]

  /// The parameters of the form and of its address.
  var parameters: [String] {
    kind.members + ["id", "environment", "newAccount", "allowUnknown"] + Self.formNames
  }

  // MARK: - The list

  /// - Parameter account: Whom the acts are about, if that is known already.
  static func list(_ visitor: PageVisitor, _ account: String?) -> Page {
    var body: HTML = "<h1>Acts</h1>\n<p class=\"lead\">What you decide by your word alone. Each is "
    body += "kept for ever with your name and your reason, and its effect is shown before it is "
    body += "done. It is done in the name of \(visitor.token.operatorName ?? "-").</p>\n"
    if let account {
      body += "<p>For \(HTML.link(.account(Name(account)), account)):</p>\n"
    }
    body += "<ul class=\"places\">"
    for kind in ActRequest.Kind.allCases {
      let address = PageAddress("/acts/\(kind.rawValue)", [("account", account)])
      body += "<li>\(HTML.link(address, kind.title)) "
      body += "<span class=\"soft\">\(kind.purpose)</span></li>"
    }
    return Page(title: "Acts", place: .acts, body: body + "</ul>\n")
  }

  // MARK: - The form

  private var fields: [Field] {
    let account = Field(name: "account", label: "Account", isRequired: true)
    let reason = Field(
      name: "reason", label: "Reason", hint: "Kept in the customer's history, such as a ticket",
      isRequired: true)
    let what = [
      Field(name: "entitlement", label: "Entitlement", hint: "Either this or a product"),
      Field(name: "product", label: "Product", hint: "Either this or an entitlement"),
    ]
    switch kind {
    case .grant:
      return [account] + what + [
        Field(
          name: "until", label: "Until", hint: "In UTC; empty for no end", type: "datetime-local"),
        reason,
      ]
    case .withdraw: return [account] + what + [reason]
    case .link:
      return [account, Field(name: "to", label: "Other account", isRequired: true), reason]
    case .transfer:
      return [account, Field(name: "to", label: "To the account", isRequired: true), reason]
    case .assign:
      return [account, Field(name: "transaction", label: "Transaction", isRequired: true), reason]
    case .note:
      return [
        account, Field(name: "text", label: "Note", isRequired: true),
        Field(name: "transaction", label: "About the transaction", hint: "If it is about one"),
      ]
    }
  }

  /// The form, with what was written into it and what was wrong with that.
  func form(_ items: QueryItems, refused: Problem? = nil) -> Page {
    var body: HTML = "<p class=\"eyebrow\">Act</p><h1>\(kind.title)</h1>\n"
    body += "<p class=\"lead\">\(kind.purpose)</p>\n"
    if let refused {
      body += "<p class=\"notice bad\" role=\"alert\">\(refused.kind.title) \(refused.detail)</p>\n"
    }
    body += "<form class=\"card\" action=\"/acts/\(kind.rawValue)\" method=\"post\">\n"
    body += .hidden(PageDoor.formField, visitor.formToken) + .hidden("step", "show")
    for field in fields {
      body +=
        PageField(
          id: field.name, name: field.name, label: field.label,
          value: items.texts(field.name).first, type: field.type, hint: field.hint,
          isRequired: field.isRequired, more: field.type == "datetime-local" ? " step=\"1\"" : ""
        ).html
    }
    body += .environments(
      items.texts("environment").compactMap { StoreEnvironment(text: $0) })
    if kind != .assign, kind != .note || !items.texts("newAccount").isEmpty {
      body += check("newAccount", "The account may be new: no event has to state it yet", items)
    }
    if kind == .grant {
      body += check("allowUnknown", "The product may be new to the ledger", items)
    }
    body += "<p><button class=\"main\">Show the effect</button> "
    body += "<span class=\"soft\">Nothing is recorded yet.</span></p></form>\n"
    return Page(
      title: kind.title, place: .acts, body: body, status: refused?.status ?? .ok)
  }

  private func check(_ name: String, _ label: String, _ items: QueryItems) -> HTML {
    let mark: HTML = items.texts(name).isEmpty ? "" : " checked"
    return "<p class=\"field check\"><input id=\"\(name)\" name=\"\(name)\" type=\"checkbox\" "
      + "value=\"true\"\(mark)><label for=\"\(name)\">\(label)</label></p>\n"
  }

  // MARK: - The effect

  /// What the act would change, and the button that does it. The form has the id of the event, so
  /// that however often it is sent, it is one act.
  func effect(
    _ request: ActRequest, _ changes: [CustomerDifference], _ items: QueryItems
  ) -> Page {
    let event = request.act.event
    var body: HTML =
      "<p class=\"eyebrow\">\(kind.title)</p><h1>The effect, before it is done</h1>\n"
    body += "<p class=\"lead\">\(HTML.glance(event.plainWords))</p>\n"
    let isNote = kind == .note
    body += .section(
      "effect", "What changes",
      changes.isEmpty
        ? .note(
          isNote
            ? "Nothing but the customer's history, which gets the note."
            : "Nothing but the customer's history: what the customer has stays as it is.")
        : DifferenceTables(differences: changes, isOfOne: false).html)
    let line = String(decoding: EventEncoder().encode(event), as: UTF8.self)
    body += .section("event", "The event", "<pre tabindex=\"0\">\(line)</pre>\n")
    body += "<form class=\"card\" action=\"/acts/\(kind.rawValue)\" method=\"post\">"
    body += .hidden(PageDoor.formField, visitor.formToken) + .hidden("step", "do")
    body += .hidden("id", event.id.text)
    for name in parameters where name != "id" && !Self.formNames.contains(name) {
      for value in items.texts(name) { body += .hidden(name, value) }
    }
    body += "<p><button class=\"main\">\(kind.verb)</button> "
    body += "<span class=\"soft\">It is recorded in the name of "
    body += "\(visitor.token.operatorName ?? "-"), and stays.</span></p></form>\n"
    let again = PageAddress(
      "/acts/\(kind.rawValue)", [("account", items.texts("account").first)])
    body += "<p>\(HTML.link(again, "Start again"))</p>\n"
    return Page(title: "\(kind.title): the effect", place: .acts, body: body)
  }

  /// The act that a form asks for, as the JSON object that the act's own address takes.
  ///
  /// - Throws: ``Problem``: `badRequest`.
  func body(_ items: QueryItems) throws(Problem) -> [UInt8] {
    _ = try items.required("account")
    let until = kind.members.contains("until") ? try items.instant("until") : nil
    var json = JSONText()
    json.object { json in
      for name in kind.members + ["id", "environment"] where name != "until" {
        if let text = items.texts(name).first { json.member(name, text) }
      }
      if let until { json.member("until", until.rfc3339) }
      for name in ["newAccount", "allowUnknown"] where !items.texts(name).isEmpty {
        json.member(name, true)
      }
    }
    return Array(json.text.utf8)
  }
}

extension ActRequest.Kind {
  var title: String {
    switch self {
    case .grant: "Grant an entitlement"
    case .withdraw: "Withdraw a grant"
    case .link: "Link two accounts"
    case .transfer: "Transfer to another account"
    case .assign: "Assign a purchase"
    case .note: "Add a note"
    }
  }

  /// What the button says.
  var verb: String {
    switch self {
    case .grant: "Grant it"
    case .withdraw: "Withdraw it"
    case .link: "Link them"
    case .transfer: "Transfer everything"
    case .assign: "Assign it"
    case .note: "Add the note"
    }
  }

  var purpose: String {
    switch self {
    case .grant: "The customer may use something without a purchase, until a time or for ever."
    case .withdraw: "Ends what an operator granted. Purchases stay."
    case .link: "Both accounts are one customer from now on."
    case .transfer: "Everything that an account has now belongs to another account."
    case .assign: "Says whose a purchase is that nobody has."
    case .note: "Leaves words for those who look at the customer next."
    }
  }
}
