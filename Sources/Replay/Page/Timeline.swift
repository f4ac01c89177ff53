internal import LedgerEvents
internal import LedgerModel
internal import LedgerQueries

/// A replay laid out over time: a lane for each device, transaction and download, with its phase
/// from each of its events on.
struct Timeline {
  /// What a lane is about.
  enum Subject: Hashable {
    /// Events that name neither a transaction nor a device.
    case loose
    case device(Name?)
    case transaction(StoreEnvironment, Name)
    case download(StoreEnvironment, transaction: Name, download: Name, device: Name?)

    /// The transaction of a download; otherwise the subject itself.
    var transaction: Subject {
      guard case .download(let environment, let transaction, _, _) = self else { return self }
      return .transaction(environment, transaction)
    }
  }

  struct Lane: Equatable {
    var subject: Subject
    /// The points in the order of time.
    var points: [Point] = []
  }

  /// The phase of a lane from an event on.
  struct Point: Equatable {
    /// The event, by its index among the steps.
    var step: Int
    var phase: String
    /// The progress of a download, 0 to 1.
    var progress: Double?
  }

  /// The steps by the time at which their events are believed to have occurred.
  private(set) var order: [Int]
  private(set) var lanes: [Lane] = []
  /// The lane of each step's event.
  private(set) var laneOfStep: [Int]
  private var laneIndices: [Subject: Int] = [:]
  /// The last points of subjects that have no lane yet.
  private var former: [Subject: Point] = [:]
  /// The device that first saw each transaction.
  private var homes: [Subject: Name] = [:]

  /// - Complexity: O(*n* log *n*) in the steps, and a second replay if they did not arrive in the
  ///   order of time.
  init(_ history: ReplayHistory, events: ReplayEvents) {
    order = history.steps.indices.sorted { left, right in
      history.steps[left].event.foldKey < history.steps[right].event.foldKey
    }
    laneOfStep = history.steps.map { _ in 0 }
    let isInOrder = order.indices.allSatisfy { order[$0] == $0 }
    let steps = isInOrder ? history.steps : Self.inOrder(history, events)
    var launches = Launches()
    var holders = PaymentHolders(steps)
    for (index, step) in order.enumerated() {
      let event = steps[index].event.event
      for change in steps[index].earlierChanges + steps[index].changes { holders.learn(change) }
      for change in steps[index].earlierChanges { add(change, step, holders, isReported: false) }
      let own = Self.subject(of: steps[index], holders)
      laneOfStep[step] = lane(own)
      if let device = event.device, homes[own.transaction] == nil {
        homes[own.transaction] = device
      }
      for change in steps[index].changes { add(change, step, holders, isReported: true) }
      if event.device != nil || event.type.kind.isOfSession {
        for point in launches.points(of: event, step) {
          lanes[lane(.device(event.device))].points.append(point)
        }
      }
    }
    arrange()
  }

  /// The same steps as they would be if the events had arrived in the order of time.
  private static func inOrder(_ history: ReplayHistory, _ events: ReplayEvents) -> [ReplayStep] {
    let positions = Set(history.steps.map(\.event.position))
    let known = events.events.filter {
      positions.contains($0.position) || !events.steps.contains($0.position)
    }.sorted { $0.foldKey < $1.foldKey }
    var steps: Set<UInt64> = []
    var background: Set<UInt64> = []
    let renumbered = known.enumerated().map { index, recorded in
      let position = UInt64(index + 1)
      if positions.contains(recorded.position) { steps.insert(position) }
      if events.background.contains(recorded.position) { background.insert(position) }
      return RecordedEvent(
        position: position, recordedAt: recorded.recordedAt, event: recorded.event)
    }
    return ReplayHistory(Replay(renumbered, steps: steps, background: background)).steps
  }

  private static func subject(of step: ReplayStep, _ holders: PaymentHolders) -> Subject {
    let event = step.event.event
    let environment = holders.environment(of: event)
    if let transaction = event.transaction, let download = event.download {
      return .download(
        environment, transaction: transaction, download: download, device: event.device)
    }
    if let name = event.transaction ?? event.payment {
      return .transaction(
        environment, holders.transaction(of: name, isPayment: event.transaction == nil))
    }
    if let original = event.originalTransaction { return .transaction(environment, original) }
    if event.device != nil || event.type.kind.isOfSession { return .device(event.device) }
    return .loose
  }

  /// Adds the phase of a lane from a step on. What existed before a slice creates no lane. It is
  /// shown on the lanes that the slice creates.
  private mutating func add(
    _ change: ReplayChange, _ step: Int, _ holders: PaymentHolders, isReported: Bool
  ) {
    let subject = change.subject
    let own: Subject
    switch subject.kind {
    case .payment:
      guard change.after != nil else { return }
      own = .transaction(
        subject.environment, holders.transaction(of: subject.name, isPayment: true))
    case .transaction: own = .transaction(subject.environment, subject.name)
    case .download:
      own = .download(
        subject.environment, transaction: subject.transaction ?? "", download: subject.name,
        device: subject.device)
    case .entitlement, .installed, .balance: return
    }
    let point = Point(
      step: step, phase: change.after?.phase ?? "gone", progress: change.after?.progress)
    guard isReported || laneIndices[own] != nil else {
      former[own] = point
      return
    }
    let index = lane(own)
    if let last = lanes[index].points.last, last.phase == point.phase,
      last.progress == point.progress
    {
      return
    }
    lanes[index].points.append(point)
  }

  /// Returns the index of a subject's lane, and creates the lane if there is none.
  private mutating func lane(_ subject: Subject) -> Int {
    if let known = laneIndices[subject] { return known }
    // A download's lane is below that of its transaction.
    if case .download(let environment, let transaction, _, _) = subject {
      _ = lane(.transaction(environment, transaction))
    }
    laneIndices[subject] = lanes.count
    lanes.append(Lane(subject: subject, points: former[subject].map { [$0] } ?? []))
    return lanes.count - 1
  }

  /// Sorts the lanes: below each device the transactions that it saw first, and below each
  /// transaction its downloads. Transactions that no device saw come last.
  private mutating func arrange() {
    func key(_ index: Int) -> (Int, Int, Int) {
      switch lanes[index].subject {
      case .loose: return (-1, 0, 0)
      case .device: return (index, -1, 0)
      case .transaction(let environment, let name):
        return (home(of: .transaction(environment, name)), index, -1)
      case .download(let environment, let transaction, _, _):
        let above = Subject.transaction(environment, transaction)
        return (home(of: above), laneIndices[above] ?? 0, index)
      }
    }
    let keys = lanes.indices.map(key)
    let sorted = lanes.indices.sorted { keys[$0] < keys[$1] }
    var moved = [Int](repeating: 0, count: lanes.count)
    for (new, old) in sorted.enumerated() { moved[old] = new }
    lanes = sorted.map { lanes[$0] }
    laneOfStep = laneOfStep.map { moved[$0] }
  }
}

extension Timeline {
  /// The index of the lane of the device that first saw a transaction.
  private func home(of transaction: Subject) -> Int {
    homes[transaction].flatMap { laneIndices[.device($0)] } ?? lanes.count
  }
}

/// The transaction that each payment became, so that both share a lane, and its environment.
private struct PaymentHolders {
  private var transactions: [Name: Name] = [:]
  private var environments: [Name: StoreEnvironment] = [:]

  init(_ steps: [ReplayStep]) {
    for step in steps {
      guard let payment = step.event.event.payment,
        let transaction = step.event.event.transaction, transactions[payment] == nil
      else { continue }
      transactions[payment] = transaction
    }
  }

  mutating func learn(_ change: ReplayChange) {
    guard change.after != nil else { return }
    switch change.subject.kind {
    case .transaction, .payment: environments[change.subject.name] = change.subject.environment
    default: break
    }
  }

  func environment(of event: Event) -> StoreEnvironment {
    for name in [event.transaction, event.payment] {
      if let name, let known = environments[name] { return event.environment ?? known }
    }
    return event.environment ?? .production
  }

  func transaction(of name: Name, isPayment: Bool) -> Name {
    isPayment ? transactions[name] ?? name : name
  }
}

/// When the app ran, was in the background, ended, or disappeared without notice.
private struct Launches {
  private struct Launch {
    var newest: Int
    var isUnderWay: Bool
  }

  private var devices: [Name?: Launch] = [:]

  mutating func points(of event: Event, _ step: Int) -> [Timeline.Point] {
    let before = devices[event.device]
    let isUnderWay = event.type.kind != .sessionEnded
    devices[event.device] = Launch(newest: step, isUnderWay: isUnderWay)
    switch event.type.kind {
    case .sessionStarted:
      let killed = before.flatMap { before in
        before.isUnderWay ? Timeline.Point(step: before.newest, phase: "killed") : nil
      }
      return (killed.map { [$0] } ?? []) + [Timeline.Point(step: step, phase: "running")]
    case .sessionForegrounded: return [Timeline.Point(step: step, phase: "running")]
    case .sessionBackgrounded: return [Timeline.Point(step: step, phase: "background")]
    case .sessionEnded: return [Timeline.Point(step: step, phase: "ended")]
    default: return before == nil ? [Timeline.Point(step: step, phase: "running")] : []
    }
  }
}

extension EventKind {
  fileprivate var isOfSession: Bool {
    switch self {
    case .sessionStarted, .sessionEnded, .sessionBackgrounded, .sessionForegrounded,
      .sessionObserverAdded, .sessionObserverRemoved:
      true
    default: false
    }
  }
}

extension RecordedEvent {
  /// The event's sort key in the fold order.
  var foldKey: EventFoldKey { EventFoldKey(self) }

  /// The believed store time, in microseconds.
  var believedTime: Int64 { foldKey.time.microseconds }
}
