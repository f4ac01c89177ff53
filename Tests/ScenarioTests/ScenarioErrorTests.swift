import QueueSimulator
import Testing

/// Errors in a document are reported with their path and what was expected there.
@Suite("Errors in scenarios") struct ScenarioErrorTests {
  private static let right = """
    {"title": "t", "products": [{"product": "alps", "downloads": ["a"]}],
     "script": [{"at": "PT0S", "do": "launch"}, {"at": "PT1S", "do": "buy"}]}
    """

  private func error(_ json: String) -> ScenarioError? {
    do throws(ScenarioError) {
      _ = try Scenario(json: Array(json.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test("a right document is read") func rightDocument() {
    #expect(error(Self.right) == nil)
  }

  @Test("a fault of the syntax is reported by line and column") func faultSyntax() throws {
    let found = try #require(error("{\"title\": \"t\",\n  \"script\": [,]}"))
    #expect(found.reason.hasPrefix("line 2, column 14: "))
  }

  @Test("a line feed inside a text is none") func lineFeed() {
    #expect(error("{\"title\": \"t\nu\", \"script\": []}") != nil)
  }

  @Test(
    "a wrong value is reported by its path",
    arguments: [
      ("\"title\": \"t\", ", "", "title"),
      ("\"title\"", "\"titel\"", "titel"),
      ("\"alps\"", "7", "products[0].product"),
      ("[\"a\"]", "[{\"length\": 4}]", "products[0].downloads[0].download"),
      ("\"downloads\": [\"a\"]", "\"kind\": \"toy\"", "products[0].kind"),
      ("PT1S", "P1M", "script[1].at"),
      ("\"at\": \"PT1S\"", "\"on\": \"download.begun\"", "script[1].on"),
      ("\"at\": \"PT1S\"", "\"on\": \"download.finished\", \"at\": \"PT1S\"", "script[1].on"),
      ("\"buy\"", "\"steal\"", "script[1].do"),
      ("\"do\": \"buy\"", "\"do\": \"buy\", \"product\": \"coast\"", "script[1].product"),
      ("\"do\": \"buy\"", "\"do\": \"buy\", \"quantity\": 11", "script[1].quantity"),
      ("\"do\": \"buy\"", "\"do\": \"buy\", \"outcome\": \"lost\"", "script[1].outcome"),
      ("\"do\": \"buy\"", "\"do\": \"kill\", \"device\": \"watch\"", "script[1].device"),
      ("\"title\": \"t\"", "\"title\": \"t\", \"policy\": \"careless\"", "policy"),
      ("\"title\": \"t\"", "\"title\": \"t\", \"seed\": -1", "seed"),
      ("\"title\": \"t\"", "\"title\": \"t\", \"start\": \"2026\"", "start"),
      ("\"title\": \"t\"", "\"title\": \"t\", \"schedule\": [\"dance 0\"]", "schedule[0]"),
      ("\"title\": \"t\"", "\"title\": \"t\", \"events\": []", "events"),
      (
        "\"title\": \"t\"", "\"title\": \"t\", \"expect\": {\"findings\": [\"bad-luck\"]}",
        "expect.findings[0]"
      ),
      (
        "\"title\": \"t\"", "\"title\": \"t\", \"expect\": {\"entitled\": {\"a\": {\"b\": \"c\"}}}",
        "expect.entitled.a.b"
      ),
    ])
  func wrongValue(right: String, wrong: String, path: String) throws {
    let json = Self.right.replacing(right, with: wrong, maxReplacements: 1)
    #expect(json != Self.right)
    let found = try #require(error(json), "\(wrong) was taken")
    #expect(found.path == path, "\(found)")
    #expect(found.reason.contains("expected"), "\(found)")
  }

  @Test("an error in an event of a recording names its index and field") func eventRecording()
    throws
  {
    let json = """
      {"title": "t", "events": [{"id": "1", "type": "payment.added",
       "occurredAt": "2026-01-05T09:00:00Z"}]}
      """
    let found = try #require(error(json))
    #expect(found.path == "events[0].product")
  }
}
