import TimerScheduling

/// A queue of deadlines that can be copied by reference, because `#expect` copies its arguments.
final class QueueBox<Element: Sendable> {
  typealias Handle = UInt32

  struct Entry: QueueEntry {
    let element: Element
    let number: UInt64
    var ends: UInt64 { number }
    var isLimit: Bool { false }
  }

  /// The times at which the wheels start.
  private final class Times: Sendable {
    let times = Lock<[Timeline: Deadline]>([:])
  }

  private let times = Times()
  private let queue: DeadlineQueue<Entry>
  private var lastNumber: UInt64 = 0
  private var places: [UInt64: Filing.Place] = [:]

  init() {
    queue = DeadlineQueue { [times] timeline in
      times.times.withLock { $0[timeline] } ?? Deadline(nanoseconds: 0)
    }
  }

  var count: Int { queue.counts.entries }
  var filedCount: Int { queue.counts.filed }

  func start(_ timeline: Timeline = .monotonic, at now: Deadline) {
    times.times.withLock { $0[timeline] = now }
  }

  // MARK: Filing

  func add(_ element: Element, _ filing: Filing? = nil) -> Handle {
    lastNumber += 1
    let entry = Entry(element: element, number: lastNumber)
    guard let place = queue.add(entry, filing, number: lastNumber)?.place else {
      preconditionFailure("The queue isn't closed.")
    }
    places[lastNumber] = place
    return place.bits
  }

  @discardableResult
  func insert(
    _ element: Element, on timeline: Timeline = .monotonic, at moment: Int64, tolerance: Int64 = 0
  ) -> Handle {
    add(element, Filing(timeline: timeline, at: moment, tolerance: tolerance))
  }

  func file(_ handle: Handle, _ filing: Filing?) {
    lastNumber += 1
    _ = queue.file(Filing.Place(bits: handle), filing, number: lastNumber)
  }

  @discardableResult
  func remove(_ handle: Handle) -> Element? {
    let entry = queue.entry(in: Filing.Place(bits: handle))
    _ = queue.remove(Filing.Place(bits: handle))
    return entry?.element
  }

  func element(_ handle: Handle) -> Element? { queue.entry(in: Filing.Place(bits: handle))?.element }

  /// The elements or, with a clock, those that aren't filed on the other one.
  func elements(on timeline: Timeline? = nil) -> [Element] { queue.entries(on: timeline).map(\.element) }

  func close() { queue.close { _ in } }

  /// Adds an entry while the first shard's lock is held. Returns false if the queue is closed.
  func addBesideHolder(_ element: Element) -> Bool {
    lastNumber += 1
    let (entry, number) = (Entry(element: element, number: lastNumber), lastNumber)
    return queue.firstShard.contents.withLock { _ in queue.add(entry, nil, number: number) != nil }
  }

  // MARK: Taking

  func takeDue(on timeline: Timeline, at now: Deadline) -> DeadlineQueue<Entry>.DueEntries {
    queue.takeDue(on: timeline, at: now)
  }

  func popAll(on timeline: Timeline = .monotonic, at now: Deadline) -> [Element] {
    var due = takeDue(on: timeline, at: now)
    var popped: [Element] = []
    while let entry = due.next() {
      popped.append(entry.element)
      if let place = places[entry.number] { _ = queue.remove(place) }
    }
    return popped
  }

  func popAll(at now: Int64) -> [Element] { popAll(at: Deadline(nanoseconds: now)) }

  /// The moment that is published. It is never later than the one that a look finds.
  func published(on timeline: Timeline) -> Deadline { queue.first(on: timeline) }

  /// Looks for the moment by which the first entry must be taken.
  func nextWakeup(on timeline: Timeline = .monotonic) -> Deadline {
    queue.publishFirst()
    return queue.first(on: timeline)
  }

  // MARK: Invariants

  /// The number of entries of the near queue, including removed ones that are still in place.
  var nearCount: Int { queue.firstShard.contents.withLock { $0.monotonic.near.count } }

  func invariantsHold() -> Bool { queue.invariantsHold }
}

extension Filing {
  init(timeline: Timeline, at moment: Int64, tolerance: Int64 = 0) {
    let deadline = Deadline(nanoseconds: moment)
    self.init(timeline: timeline, deadline: deadline, latest: deadline + Interval(nanoseconds: tolerance))
  }
}
