import AgeFiles
import Testing

@Suite("Keys of age") struct AgeKeyTests {
  @Test(
    "an identity and its recipient are read and written as age-keygen writes them",
    arguments: [
      (AgeSamples.first, AgeSamples.firstRecipient),
      (AgeSamples.second, AgeSamples.secondRecipient),
      // Of the format's specification.
      (
        "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX",
        "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
      ),
    ])
  func texts(secret: String, recipient: String) throws {
    let identity = try AgeIdentity(secret)
    #expect(identity.text == secret)
    #expect(identity.recipient.text == recipient)
    #expect(try AgeRecipient(recipient) == identity.recipient)
  }

  @Test("every typing error of one character is noticed") func typingErrors() {
    let text = Array(AgeSamples.firstRecipient.utf8)
    for index in text.indices {
      for other in "qpzry9x8ab1Q".utf8 where text[index] != other {
        var changed = text
        changed[index] = other
        let word = String(decoding: changed, as: UTF8.self)
        #expect(throws: AgeError.self, "\(word)") { try AgeRecipient(word) }
      }
    }
  }

  @Test(
    "what is no recipient is refused",
    arguments: [
      "", "age", "age1", "ssh-ed25519 AAAA", AgeSamples.first,
      AgeSamples.firstRecipient.uppercased(), AgeSamples.firstRecipient + " ",
      "age1qqqqqqqq7d7ny",
    ])
  func noRecipients(text: String) {
    let error = #expect(throws: AgeError.self) { try AgeRecipient(text) }
    #expect(error?.code == .badKey)
  }

  @Test("an identity that is refused is never shown") func secretsStaySecret() {
    for text in [AgeSamples.first.lowercased(), AgeSamples.first.dropLast() + "A"] {
      let error = #expect(throws: AgeError.self) { try AgeIdentity(String(text)) }
      #expect(error?.message.lowercased().contains("13y3a6") == false)
    }
  }

  @Test("a file of identities has one a line, and comments") func files() throws {
    let file = "# created: today\n\n\(AgeSamples.first)\r\n  \(AgeSamples.second)  \n# end"
    let found = try AgeIdentity.identities(inFile: Array(file.utf8))
    #expect(found.map(\.text) == [AgeSamples.first, AgeSamples.second])
    for file in ["", "# nothing\n", "\(AgeSamples.first)\nhello\n"] {
      #expect(throws: AgeError.self) { try AgeIdentity.identities(inFile: Array(file.utf8)) }
    }
  }

  @Test("a passphrase is one line of text") func passphrases() throws {
    for text in ["", "\n", "\r\n", "two\nlines", String(repeating: "x", count: 1_025)] {
      let error = #expect(throws: AgeError.self) { try AgePassphrase(Array(text.utf8)) }
      #expect(error?.code == .badKey)
    }
    #expect(throws: AgeError.self) { try AgePassphrase([0x80]) }
    _ = try AgePassphrase(Array("a passphrase with spaces, ümlauts\n".utf8))
  }
}
