import Hummingbird
import NIOCore
import ServiceAccess

/// What belongs to one request: its logger, and who asks.
struct ServiceContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// Whose request it is; nil before that is known, and for addresses that need no token.
  var token: AccessToken?

  /// Where it comes from; nil if that has no address.
  let address: SocketAddress?
  /// The connection, or the stream of one.
  let channel: any Channel

  init(source: Source) {
    coreContext = .init(source: source)
    address = source.channel.remoteAddress
    channel = source.channel
  }
}
