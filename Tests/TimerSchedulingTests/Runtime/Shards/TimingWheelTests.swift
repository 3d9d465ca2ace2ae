import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G3")) struct TimingWheelTests {
  /// A slot of level 0 is 2²⁰ ns long, and one of each level above 64 times that.
  private static let slotLengths = (0..<8).map { Int64(1) << (20 + 6 * Int64($0)) }

  @Test(arguments: slotLengths) func `Entries pop in the order of their deadlines`(length: Int64) {
    let wheel = QueueBox<Int64>()
    // Around the borders of slots, where a digit carries into the next level.
    let borders = [0, 1, 2, 63, 64, 65, 127].map { ($0 as Int64).multipliedSaturated(by: length) }
    let moments = Set(borders.flatMap { [$0 - 1, $0, $0.addingSaturated(1)] })
    for moment in moments { wheel.insert(moment, at: moment) }

    #expect(wheel.count == moments.count)
    #expect(wheel.invariantsHold())
    #expect(wheel.popAll(at: .max) == moments.sorted())
  }

  @Test(arguments: slotLengths) func `No entry pops before its deadline`(length: Int64) {
    let wheel = QueueBox<Int64>()
    let moments = Set((0..<130).map { ($0 as Int64).multipliedSaturated(by: length) })
    for moment in moments { wheel.insert(moment, at: moment) }

    for moment in moments.sorted() {
      #expect(wheel.popAll(at: moment - 1) == [])
      #expect(wheel.popAll(at: moment) == [moment])
    }
  }

  @Test func `Equal deadlines pop in the order of insertion, however often time has moved them`() {
    let wheel = QueueBox<Int>()
    let deadline: Int64 = 1 << 55 | 1 << 43 | 1 << 37 | 1 << 31 | 1 << 22 | 5
    for number in 0..<40 {
      wheel.insert(2 * number, at: deadline)
      // Entries that are due before the deadline move the wheel through its levels between insertions.
      let waypoint = deadline - (1 << Int64(45 - number))
      wheel.insert(2 * number + 1, at: waypoint)
      #expect(wheel.popAll(at: waypoint) == [2 * number + 1])
      #expect(wheel.invariantsHold())
    }

    #expect(wheel.popAll(at: deadline) == (0..<40).map { 2 * $0 })
  }

  @Test func `An entry inserted while others pop takes its place among them`() {
    let wheel = QueueBox<String>()
    wheel.insert("first", at: 1_000)
    wheel.insert("last", at: 3_000)
    #expect(wheel.popExpired(at: Deadline(nanoseconds: 5_000)) == "first")

    wheel.insert("past", at: 500)
    wheel.insert("between", at: 2_000)
    wheel.insert("equal to the last", at: 3_000)
    #expect(wheel.popAll(at: 5_000) == ["past", "between", "last", "equal to the last"])
  }

  @Test func `Deadlines in the past pop at once and in order`() {
    let now: Int64 = 86_400_000_000_000
    let wheel = QueueBox.wound(to: now, with: now)
    for moment in [now - 1, .min, 1 << 40, 0, now + 1] { wheel.insert(moment, at: moment) }

    #expect(wheel.nextWakeup() == Deadline(nanoseconds: .min))
    #expect(wheel.popAll(at: now) == [.min, 0, 1 << 40, now - 1])
    #expect(wheel.count == 1)
  }

  @Test func `Times before the clock's zero come first`() {
    let wheel = QueueBox<Int64>()
    let moments: [Int64] = [5, -5, 0, -1, .min, .min + 1, -1 << 40, 1 << 40, -1 << 62]
    for moment in moments { wheel.insert(moment, at: moment) }

    // With its type, as the compiler takes seconds to find that of sums and shifts in an expectation.
    let early: [Int64] = [.min, .min + 1, -1 << 62, -1 << 40, -5]
    #expect(wheel.popAll(at: -2) == early)
    #expect(wheel.popAll(at: .max) == [-1, 0, 5, 1 << 40])
  }

  @Test func `An entry that never comes pops last, at the end of time`() {
    let wheel = QueueBox<String>()
    wheel.insert("never", at: Deadline.never.nanoseconds)
    wheel.insert("saturated", at: (Deadline(nanoseconds: 1 << 62) + .max).nanoseconds)
    wheel.insert("just before", at: .max - 1)
    wheel.insert("far", at: 1 << 62)
    wheel.insert("soon", at: 1)

    #expect(wheel.popAll(at: 1) == ["soon"])
    #expect(wheel.nextWakeup() == Deadline(nanoseconds: 1 << 62))
    #expect(wheel.popAll(at: .max - 2) == ["far"])
    #expect(wheel.popAll(at: .max - 1) == ["just before"])
    #expect(wheel.nextWakeup() == .never)
    #expect(wheel.popAll(at: .max) == ["never", "saturated"])
  }

  // A late entry holds back those behind it only while its own deadline is to come.
  //
  // milliseconds   0    1    2    3    4    5    6
  // tight                    x
  // loose               [-------------------]
  // middle              [---------]
  // later                              [---------]
  @Test func `Entries pop in the order of their latest moments once their deadlines have come`() {
    let wheel = QueueBox<String>()
    let millisecond: Int64 = 1_000_000
    wheel.insert("loose", at: millisecond, tolerance: 4 * millisecond)
    wheel.insert("middle", at: millisecond, tolerance: 2 * millisecond)
    wheel.insert("tight", at: 2 * millisecond)
    wheel.insert("later", at: 4 * millisecond, tolerance: 2 * millisecond)

    #expect(wheel.nextWakeup() == Deadline(nanoseconds: 2 * millisecond))
    #expect(wheel.popAll(at: 2 * millisecond - 1) == [])
    #expect(wheel.popAll(at: 2 * millisecond) == ["tight", "middle", "loose"])
    #expect(wheel.nextWakeup() == Deadline(nanoseconds: 6 * millisecond))
    #expect(wheel.popAll(at: 4 * millisecond) == ["later"])
  }

  @Test(arguments: slotLengths) func `One wakeup serves all whose intervals overlap`(length: Int64) {
    let wheel = QueueBox<Int64>()
    // Spread over two slots of the level, but none due before the last one's deadline.
    for number in 0..<64 as Range<Int64> {
      wheel.insert(number, at: length / 32 * number, tolerance: length.multipliedSaturated(by: 2))
    }
    let last = Deadline(nanoseconds: length / 32 * 63)

    #expect(wheel.nextWakeup().map { $0 > last } == true)
    #expect(wheel.popAll(at: last.nanoseconds - 1) == Array(0..<63))
    #expect(wheel.popAll(at: last.nanoseconds) == [63])
  }

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

  @Test(arguments: 0..<6) func `A removed entry doesn't pop and its neighbors do`(removal: Int) {
    let wheel = QueueBox.wound(to: 0, with: -1)
    // Two in the current millisecond, three in one slot, one far.
    let moments: [Int64] = [5, 6, 3_000_001, 3_000_000, 3_000_002, 1 << 50]
    let handles = moments.enumerated().map { wheel.insert($0, at: $1) }
    #expect(wheel.remove(handles[removal]) == removal)

    #expect(wheel.count == 5)
    #expect(wheel.invariantsHold())
    #expect(wheel.popAll(at: .max) == [0, 1, 3, 2, 4, 5].filter { $0 != removal })
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
