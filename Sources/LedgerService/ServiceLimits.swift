import Webhooks

/// The limits of the service that no setting changes.
enum ServiceLimits {
  /// The largest body of an append, in bytes.
  static let bodyBytesMax = 16 << 20
  /// How many bytes of bodies are held at the same time. Beyond that, requests are told to come
  /// again.
  static let heldBytesMax = 256 << 20
  /// What a request takes in memory beside its body, in bytes: it counts as having a body of that
  /// size at least. A stream of HTTP/2 that waits for one takes about 30 KB.
  static let requestBytes = 32 << 10
  /// How many bytes of bodies are held of those who need no token, who cannot take the room of
  /// appends then.
  static let strangersBytesMax = 32 << 20
  /// How long a body may take to arrive, in seconds.
  static let bodySeconds: Int64 = 60
  /// The largest header of a request, in bytes.
  static let headerBytesMax = 32 << 10
  /// How long a connection may say nothing, in seconds.
  static let idleSeconds: Int64 = 75
  /// How long a TLS handshake may take, in seconds: more than three round trips over a bad line.
  static let handshakeSeconds: Int64 = 10
  /// How many streams of HTTP/2 there are at the same time over all connections, and how many of
  /// one address. Each takes about 30 KB, so that is 300 MB.
  static let streamsMax = 10_000
  static let streamsOfAddress = 1_024
  /// How often it is looked whether a client takes what is sent to it, in seconds, and how many
  /// bytes it takes at least in that time: a tenth of what a modem does.
  static let stallSeconds: Int64 = 60
  static let stallBytesMin = 64 << 10
  /// After how many of these looks a connection is closed over which nothing goes. The longest
  /// questions take less, and followers are sent signs of life.
  static let silentLooksMax = 10
  /// How many connections an address has at the same time if nobody says: more than a browser and
  /// a pool of a server need, and a sixteenth of all.
  static let connectionsOfAddress = 256
  /// How many threads wait for the disk on behalf of appends. Appends that wait at the same time
  /// share a commit.
  static let appendThreads = 16
  /// How many appends wait for a thread, at most.
  static let appendsMax = 256
  /// How many threads answer questions about one customer or one thing. Each that answers holds two
  /// of LMDB's reader slots.
  static let questionThreads = 5
  /// How many threads answer questions about any number of customers, such as sums, which can take
  /// seconds. They have their own, so that no other question waits for them.
  static let surveyThreads = 3
  /// How many questions wait for a thread, at most.
  static let questionsMax = 256
  /// How many items a page has if nobody says.
  static let pageItems: UInt64 = 1_000
  static let pageItemsMax: UInt64 = 10_000
  /// After how many bytes a page ends that has fewer items: an event can have a mebibyte.
  static let pageBytesMax = 16 << 20
  /// How many events a replay has: its page was measured with as many.
  static let replayEventsMax = 10_000
  /// How many events a replay rests on, with those that are not shown.
  static let replayGroundEventsMax = 100_000
  /// How many edits a replay takes, and how many events they insert. Each costs a look at all
  /// events.
  static let replayEditsMax = 100
  /// The largest body with edits, in bytes.
  static let replayBodyBytesMax = 1 << 20
  /// How long a signed answer is valid if nobody says, and at most, in seconds: a day, and a month.
  /// What happens after it was signed, such as a refund, it does not know.
  static let signedSeconds: UInt64 = 86_400
  static let signedSecondsMax: UInt64 = 31 * 86_400
  /// The longest audience and nonce of a signed answer, in bytes.
  static let signedTextBytesMax = 256
  /// How long a client may keep the set of keys, in seconds. It asks again for a key that the set
  /// has not.
  static let keysSeconds = 300
  /// How often what is no token may come from an address: enough for a client that is set up anew,
  /// and not for a log that a guesser fills.
  static let failureRate = RateGate.Rate(perSecond: 0.2, burst: 20)
  /// How many tokens, and how many addresses, are remembered with what they have sent.
  static let limitedClientsMax = 20_000
  /// How long `atLeast` waits, in seconds.
  static let atLeastSeconds = 10
  /// How many clients can follow the log at the same time.
  static let followersMax = 2_000
  /// How many threads read for followers. They have their own, so that an event that wakes
  /// thousands holds up no question.
  static let followThreads = 2
  /// How many events a follower is sent at once.
  static let followEvents = 500
  /// After how many bytes of events a follower is sent what there is. It is what one who does not
  /// read takes.
  static let followBytes = 256 << 10
  /// How long a follower may take to read what was sent before its connection is closed, in
  /// seconds.
  static let followStallSeconds = 60
  /// How long a follower may take to read what was sent once the service stops, in seconds. It
  /// comes back with the last id that it has read, so that it misses nothing.
  static let followEndSeconds: Int64 = 2
  /// After how many seconds without an event a follower is sent a sign of life.
  static let followSilenceSeconds = 15
  /// How many events behind the log the projections may be before the service says that it is not
  /// ready.
  static let lagEventsMax: UInt64 = 1_000_000

  /// After what time the log says again why requests cannot be answered, and how many reasons it
  /// remembers.
  static let faultPause = Duration.seconds(600)
  static let faultsMax = 100

  /// How often memory that is free is given back to the system, in seconds. It takes some
  /// milliseconds.
  static let heapTrimSeconds = 60

  // MARK: - Webhooks

  /// How often changes are looked for while there are none, in milliseconds: less than somebody
  /// notices, and rare enough to cost nothing.
  static let webhookLookMilliseconds = 200
  /// How often it is looked whether there is more to send while something is sent, in milliseconds.
  static let webhookBusyMilliseconds = 20
  /// How long it waits after something has gone wrong, in seconds.
  static let webhookRecoverySeconds = 5
  /// How many threads the service has on any machine, at most, and how many more for each core: 35
  /// were counted under load on two cores.
  static let threadsMin = 32
  static let threadsPerCore = 4
  /// How many file descriptors are for files, threads that wait for connections, and the system's
  /// libraries, and how many more for each core. Without a connection, 21 were counted on two
  /// cores, and each core more has three.
  static let fileDescriptors = 200
  static let fileDescriptorsPerCore = 4
  /// How many file descriptors have to be left for connections when it starts.
  static let connectionDescriptorsMin = 100
  /// How long connecting to a receiver may take, in seconds.
  static let webhookConnectSeconds: Int64 = 10
  /// How long a receiver may take to answer, in seconds.
  ///
  /// Source: Standard Webhooks 1.0.0, which recommends 15 to 30.
  static let webhookSeconds: Int64 = 15
  /// The longest body of an answer, in bytes. It is read to its end and not kept: only the status
  /// is looked at, and what a web server says in words takes less.
  static let webhookAnswerBytesMax = 1 << 20
  /// How many messages are under way to one receiver at the same time.
  static let webhookAttemptsMax = 32
  /// How many connections there are to one host: those of all webhooks, so that no attempt waits
  /// for another one's connection. As many attempts are under way at most over all hosts, so that
  /// 2,048 file descriptors are enough, and those of connections that stay open for a minute: the
  /// package's unit allows 16,384, of which connections to the service take 4,096 if nobody says.
  /// Where fewer are allowed, there are fewer: `ConnectionRoom`.
  static let webhookConnectionsMax = Webhook.countMax * webhookAttemptsMax
  /// The longest pause before the next attempt to a receiver that fails again and again, in
  /// seconds.
  static let webhookPauseSecondsMax = 60.0
  /// After how many failures in a row a receiver gets one message at a time.
  static let webhookFailuresMax = 5
  /// The largest JSON document that says what to do with a webhook, in bytes.
  static let webhookBodyBytesMax = 64 << 10
}
