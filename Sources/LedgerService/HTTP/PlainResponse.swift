import Hummingbird

/// A response with the bytes of its body, which can be sent without waiting for anything.
struct PlainResponse: Sendable {
  var response: Response
  let body: ByteBuffer
}
