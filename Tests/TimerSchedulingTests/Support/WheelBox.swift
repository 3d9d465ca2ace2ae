import TimerScheduling

/// A timing wheel that can be copied by reference, because `#expect` copies its arguments.
final class WheelBox<Element> {
  typealias Handle = TimingWheel<Element>.Handle

  private var wheel = TimingWheel<Element>()

  var count: Int { wheel.count }
  var isEmpty: Bool { wheel.isEmpty }
  var nearCount: Int { wheel.nearCount }

  func start(at now: Deadline) { wheel.start(at: now) }

  func insert(_ element: Element, deadline: Deadline, latest: Deadline) -> Handle {
    wheel.insert(element, deadline: deadline, latest: latest)
  }

  func element(_ handle: Handle) -> Element? { wheel.element(handle) }

  @discardableResult
  func remove(_ handle: Handle) -> Element { wheel.remove(handle) }

  func popExpired(at now: Deadline) -> Element? { wheel.popExpired(at: now) }

  func nextWakeup() -> Deadline? { wheel.nextWakeup() }

  func unfileAll() -> [Element] { wheel.unfileAll() }

  func invariantsHold() -> Bool { wheel.invariantsHold() }
}
