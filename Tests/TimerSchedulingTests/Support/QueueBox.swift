import TimerScheduling

/// A queue of deadlines that can be copied by reference, because `#expect` copies its arguments.
final class QueueBox<Element> {
  typealias Handle = UInt32

  private var queue = DeadlineQueue<Element>()
  private var lastNumber: UInt64 = 0

  var count: Int { queue.count }
  var isEmpty: Bool { queue.isEmpty }
  var filedCount: Int { queue.filedCount }
  var nearCount: Int { queue.nearCount(on: .monotonic) }

  func add(_ element: Element) -> Handle { queue.add(element) }

  @discardableResult
  func insert(
    _ element: Element, on timeline: Timeline = .monotonic, at moment: Int64, tolerance: Int64 = 0
  ) -> Handle {
    let handle = queue.add(element)
    lastNumber += 1
    queue.file(handle, Filing(timeline: timeline, at: moment, tolerance: tolerance), number: lastNumber)
    return handle
  }

  @discardableResult
  func remove(_ handle: Handle) -> Element { queue.remove(handle) }

  func element(_ handle: Handle) -> Element? { queue.element(handle) }

  /// The elements or, with a clock, those that aren't filed on the other one.
  func elements(on timeline: Timeline? = nil) -> [Element] {
    var elements: [Element] = []
    var position: UInt32 = 0
    while let next = queue.nextElements(from: &position, on: timeline) { elements += next }
    return elements
  }

  func start(_ timeline: Timeline = .monotonic, at now: Deadline) { queue.startIfUnused(timeline) { now } }

  func file(_ handle: Handle, _ filing: Filing, number: UInt64) {
    queue.file(handle, filing, number: number)
  }

  func unfile(_ handle: Handle) { queue.unfile(handle) }

  func takeExpired(on timeline: Timeline, at now: Deadline) -> DeadlineQueue<Element>.Expired? {
    queue.takeExpired(on: timeline, at: now)
  }

  func popExpired(on timeline: Timeline = .monotonic, at now: Deadline) -> Element? {
    takeExpired(on: timeline, at: now).map { queue.remove($0.index) }
  }

  func popAll(at now: Int64) -> [Element] {
    var popped: [Element] = []
    while let element = popExpired(at: Deadline(nanoseconds: now)) { popped.append(element) }
    return popped
  }

  func nextWakeup(on timeline: Timeline = .monotonic) -> Deadline? { queue.nextWakeup(on: timeline) }

  func invariantsHold() -> Bool { queue.invariantsHold() }
}

extension Filing {
  init(timeline: Timeline, at moment: Int64, tolerance: Int64 = 0) {
    let deadline = Deadline(nanoseconds: moment)
    self.init(timeline: timeline, deadline: deadline, latest: deadline + Interval(nanoseconds: tolerance))
  }
}
