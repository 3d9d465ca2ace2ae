import TestSupport
import Testing
import TimerScheduling

@Suite struct TimingWheelTests {
  private static let second: Int64 = 1_000_000_000

  // A slot of level 0 is 2²⁰ ns long, and one of each level above 64 times that.
  @Test(.guarantee("G3"), arguments: (0..<8).map { Int64(1) << (20 + 6 * Int64($0)) })
  func `Removal makes a wakeup early at most once a level`(length: Int64) {
    let wheel = QueueBox<String>()
    // With this one the lower levels are in use.
    wheel.insert("start", at: 0)
    #expect(wheel.popAll(at: 0) == ["start"])
    let removed = wheel.insert("removed", at: length)
    // The last moment of the highest level never comes.
    let kept = min(length + (length - 1), Deadline.last.nanoseconds)
    wheel.insert("kept", at: kept)
    #expect(wheel.remove(removed) == "removed")

    var earlyWakeups = 0
    while wheel.nextWakeup().nanoseconds < kept, earlyWakeups < 9 {
      #expect(wheel.popAll(at: wheel.nextWakeup()).isEmpty)
      earlyWakeups += 1
    }
    #expect((1...8).contains(earlyWakeups))
    #expect(wheel.nextWakeup() == Deadline(nanoseconds: kept))
    #expect(wheel.popAll(at: kept) == ["kept"])
  }

  private final class Token: Sendable {}

  @Test(arguments: [1, 1 << 50] as [Int64])
  func `A removed or popped element is released`(deadline: Int64) {
    let wheel = QueueBox<Token>()
    wheel.insert(Token(), at: 0)
    #expect(wheel.popAll(at: 0).count == 1)
    let (removed, removedHandle) = insertToken(into: wheel, at: deadline)
    let (popped, _) = insertToken(into: wheel, at: deadline)
    #expect(removed() != nil && popped() != nil)

    wheel.remove(removedHandle)
    #expect(removed() == nil)
    #expect(wheel.popAll(at: deadline).count == 1)
    #expect(popped() == nil)
  }

  private func insertToken(
    into wheel: QueueBox<Token>, at deadline: Int64
  ) -> (weakly: () -> Token?, handle: QueueBox<Token>.Handle) {
    let token = Token()
    return ({ [weak token] in token }, wheel.insert(token, at: deadline))
  }

  // MARK: Size

  /// Returns a wheel whose cursor is an hour ahead of the time, as an entry with an hour's tolerance was
  /// popped.
  private func wheelWithCursorAhead() -> QueueBox<Int> {
    let wheel = QueueBox<Int>()
    wheel.start(at: Deadline(nanoseconds: Self.second))
    wheel.insert(-1, at: 3600 * Self.second)
    wheel.insert(0, at: 2 * Self.second, tolerance: 3597 * Self.second)
    #expect(wheel.popAll(at: 2 * Self.second) == [0])
    return wheel
  }

  // No entry is asked for in between, as while one pass processes a million timers.
  @Test(.guarantee("G126"), arguments: [0, 10, 1000])
  func `Entries that are removed take no memory, wherever the cursor is`(live: Int) {
    let wheel = wheelWithCursorAhead()
    for number in 0..<live { wheel.insert(number, at: (100 + Int64(number)) * Self.second) }
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
  @Test(.guarantee("G126")) func `After an entry with a long tolerance, new entries are far away again`() {
    let wheel = wheelWithCursorAhead()
    for number in 0..<10_000 { wheel.insert(number, at: (30 + Int64(number) / 100) * Self.second) }
    #expect(wheel.count == 10_001)
    #expect(wheel.nearCount <= wheel.count / 2)
    #expect(wheel.invariantsHold())
    #expect(wheel.popAll(at: 200 * Self.second) == Array(0..<10_000))
    #expect(wheel.nextWakeup() == Deadline(nanoseconds: 3600 * Self.second))
  }
}
