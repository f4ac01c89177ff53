import HostedContent
import Testing

@Suite struct `An error about content` {
  @Test func `errors are equal when their codes are`() {
    let error = ContentError(.missing, path: "a", "there is nothing")
    #expect(error == ContentError(.missing, path: "b", "there is nothing here"))
    #expect(error != ContentError(.exists, path: "a", "there is nothing"))
  }
}
