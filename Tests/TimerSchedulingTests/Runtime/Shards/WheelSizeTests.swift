import TestSupport
import Testing
import TimerScheduling

/// The size of a timing wheel, and of its near queue, while entries come and go.
@Suite(.guarantee("G119")) struct WheelSizeTests {
  private static let second: Int64 = 1_000_000_000

  /// Returns a wheel whose cursor is an hour ahead of the time, as an entry with an hour's tolerance was popped.
  private func wheelWithCursorAhead() -> QueueBox<Int> {
    let wheel = QueueBox<Int>()
    wheel.start(at: Deadline(nanoseconds: Self.second))
    _ = wheel.insert(-1, at: 3600 * Self.second)
    _ = wheel.insert(
      0, deadline: Deadline(nanoseconds: 2 * Self.second), latest: Deadline(nanoseconds: 3599 * Self.second))
    #expect(wheel.popExpired(at: Deadline(nanoseconds: 2 * Self.second)) == 0)
    #expect(wheel.popExpired(at: Deadline(nanoseconds: 2 * Self.second)) == nil)
    return wheel
  }

  // No entry is asked for in between, as while one pass processes a million timers.
  @Test(arguments: [0, 10, 1000])
  func `Entries that are removed take no memory, wherever the cursor is`(live: Int) {
    let wheel = wheelWithCursorAhead()
    for number in 0..<live { _ = wheel.insert(number, at: (100 + Int64(number)) * Self.second) }
    for number in 0..<100_000 {
      let handle = wheel.insert(number, at: (30 + Int64(number % 50)) * Self.second)
      #expect(wheel.remove(handle) == number)
      #expect(wheel.nearCount <= 2 * (live + 2) + 64)
    }
    #expect(wheel.count == live + 1)
    #expect(wheel.invariantsHold())
  }

  // The room of elements grows by chunks of 32, 64, 128 and so on, and begins anew when all are gone.
  @Test func `Elements keep their handles while others come, and room is used again`() {
    let wheel = QueueBox<Int>()
    for _ in 0..<3 {
      let handles = (0..<5_000).map { wheel.insert($0, at: Int64($0) * Self.second) }
      #expect(Set(handles).count == handles.count)
      #expect(handles.max() == 4_999)
      #expect(handles.enumerated().allSatisfy { wheel.element($1) == $0 })
      #expect(wheel.invariantsHold())
      for (number, handle) in handles.enumerated().reversed() { #expect(wheel.remove(handle) == number) }
      #expect(handles.allSatisfy { wheel.element($0) == nil })
    }
  }

  // Each entry that is left in the near queue would take O(log n).
  @Test func `After an entry with a long tolerance, new entries are far away again`() {
    let wheel = wheelWithCursorAhead()
    for number in 0..<10_000 { _ = wheel.insert(number, at: (30 + Int64(number) / 100) * Self.second) }
    #expect(wheel.count == 10_001)
    #expect(wheel.nearCount <= wheel.count / 2)
    #expect(wheel.invariantsHold())
    var popped: [Int] = []
    let end = Deadline(nanoseconds: 200 * Self.second)
    while let number = wheel.popExpired(at: end) { popped.append(number) }
    #expect(popped == Array(0..<10_000))
    #expect(wheel.nextWakeup() == Deadline(nanoseconds: 3600 * Self.second))
  }
}

extension QueueBox {
  fileprivate func insert(_ element: Element, at moment: Int64) -> Handle {
    insert(element, deadline: Deadline(nanoseconds: moment), latest: Deadline(nanoseconds: moment))
  }
}
