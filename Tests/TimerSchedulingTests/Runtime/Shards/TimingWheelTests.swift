import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G3")) struct TimingWheelTests {
  /// A slot of level 0 is 2²⁰ ns long, and one of each level above 64 times that.
  private static let slotLengths = (0..<8).map { Int64(1) << (20 + 6 * Int64($0)) }

  @Test(arguments: slotLengths) func `The next wakeup is the first latest moment`(length: Int64) {
    let wheel = QueueBox<Int64>.wound(to: 0, with: 0)
    #expect(wheel.nextWakeup() == nil)
    var moments: [Int64] = []
    for number in (1..<70 as Range<Int64>).reversed() {
      let moment = number.multipliedSaturated(by: length / 3).addingSaturated(7)
      moments.append(moment)
      wheel.insert(moment, at: moment / 2, tolerance: moment - moment / 2)
      #expect(wheel.nextWakeup() == Deadline(nanoseconds: moment))
    }
    while let next = moments.min() {
      #expect(wheel.nextWakeup() == Deadline(nanoseconds: next))
      let popped = wheel.popAll(at: next)
      #expect(popped.contains(next))
      moments.removeAll { popped.contains($0) }
    }
    #expect(wheel.nextWakeup() == nil)
  }

  @Test(arguments: slotLengths) func `Removal makes a wakeup early at most once a level`(length: Int64) {
    let wheel = QueueBox.wound(to: 0, with: "start")
    let removed = wheel.insert("removed", at: length)
    let kept = length + (length - 1)
    wheel.insert("kept", at: kept)
    #expect(wheel.remove(removed) == "removed")

    var earlyWakeups = 0
    while let wakeup = wheel.nextWakeup(), wakeup.nanoseconds < kept, earlyWakeups < 9 {
      #expect(wheel.popExpired(at: wakeup) == nil)
      earlyWakeups += 1
    }
    #expect((1...8).contains(earlyWakeups))
    #expect(wheel.nextWakeup() == Deadline(nanoseconds: kept))
    #expect(wheel.popAll(at: kept) == ["kept"])
  }

  @Test(arguments: [0, -1, 40_000_000_000, 1 << 50] as [Int64])
  func `Removing everything leaves no wakeup`(now: Int64) {
    let wheel = QueueBox.wound(to: now, with: -1)
    // So many that the wheel gives back its memory, a few of them due in the current millisecond.
    let handles = (0..<6_000).map { wheel.insert($0, at: now + Int64($0 % 100) * 40_000_000) }
    for (number, handle) in handles.enumerated() { #expect(wheel.remove(handle) == number) }

    #expect(wheel.isEmpty)
    #expect(wheel.nextWakeup() == nil)
    #expect(wheel.popExpired(at: .never) == nil)
    #expect(wheel.invariantsHold())
    wheel.insert(7, at: now + 3)
    #expect(wheel.popAll(at: now + 3) == [7])
  }

  @Test func `Elements stay without their deadlines, and can be removed, when all deadlines are taken away`()
  {
    let wheel = QueueBox<Int>()
    let handles = (0..<50).map { wheel.insert($0, at: Int64(1) << Int64($0)) }
    #expect(wheel.popAll(at: 8) == [0, 1, 2, 3])

    #expect(Set(wheel.unfileAll()) == Set(4..<50))
    #expect(wheel.nextWakeup() == nil)
    #expect(wheel.popAll(at: .max).isEmpty)
    #expect(wheel.count == 46)
    for handle in handles[4...] { wheel.remove(handle) }
    #expect(wheel.isEmpty)
    wheel.insert(99, at: 1)
    #expect(wheel.popAll(at: 1) == [99])
  }

  private final class Token {}

  @Test(arguments: [1, 1 << 50] as [Int64])
  func `A removed or popped element is released`(deadline: Int64) {
    let wheel = QueueBox.wound(to: 0, with: Token())
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
}

extension QueueBox {
  /// A wheel that has popped an entry at `moment`, so that its lower levels are in use.
  fileprivate static func wound(to moment: Int64, with element: Element) -> QueueBox {
    let wheel = QueueBox()
    wheel.insert(element, at: moment)
    _ = wheel.popAll(at: moment)
    return wheel
  }

  @discardableResult
  fileprivate func insert(_ element: Element, at deadline: Int64, tolerance: Int64 = 0) -> Handle {
    let deadline = Deadline(nanoseconds: deadline)
    return insert(element, deadline: deadline, latest: deadline + Interval(nanoseconds: tolerance))
  }

  fileprivate func popAll(at now: Int64) -> [Element] {
    var popped: [Element] = []
    while let element = popExpired(at: Deadline(nanoseconds: now)) { popped.append(element) }
    return popped
  }
}
