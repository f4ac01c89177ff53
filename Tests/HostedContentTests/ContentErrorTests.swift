import HostedContent
import Testing

@Suite("An error about content") struct ContentErrorTests {
  @Test("errors are equal when their codes are") func errorsEqual() {
    let error = ContentError(.missing, path: "a", "there is nothing")
    #expect(error == ContentError(.missing, path: "b", "there is nothing here"))
    #expect(error != ContentError(.exists, path: "a", "there is nothing"))
  }
}
