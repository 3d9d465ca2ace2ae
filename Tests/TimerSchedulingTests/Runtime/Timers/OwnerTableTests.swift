import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Owners and timers in numbers.
@Suite(.limited) struct OwnerTableTests: VirtualTimeSuite {
  let time = VirtualTime.manual()
  private let ends = Journal<Void>()

  /// A schedule whose rule is released when its timer ends. Asking the timer for its state would end it.
  private func schedule(_ onRelease: @escaping @Sendable () -> Void) -> TimerSchedule {
    let probe = ReleaseProbe(onRelease)
    return .rule(Answering { date in withExtendedLifetime(probe) { date + 3600 } })
  }

  // The scheduler checks owners in a task, a few at a time. Meanwhile other owners are released, and other
  // timers end.
  @Test(.tags(.threads), .guarantee("G82"))
  func `Of ten thousand owners, those gone at a check lose their timers`() async {
    var owners = (0..<10_000).map { _ in Optional(ReleaseProbe()) }
    let timers = owners.map { owner in
      owner.map { scheduler.schedule(schedule { [ends] in ends.note() }, owner: $0) { _, _ in } }
    }
    #expect(await scheduler.timerCount == 10_000)
    // Begins the intervals between checks.
    await clock.advance(by: .seconds(1))
    for index in 0..<2_000 { owners[5 * index] = nil }
    // Checks the owners. Those that are released meanwhile are found now or at the next check.
    await clock.advance(by: .seconds(1))
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for index in 0..<2_000 { timers[5 * index + 1]?.cancel() }
      }
      for index in 0..<2_000 { owners[5 * index + 2] = nil }
    }
    await ends.next(4_000)
    await clock.advance(by: .seconds(1))
    await ends.next(2_000)
    #expect(await scheduler.timerCount == 4_000)
    for index in 0..<2_000 {
      #expect(timers[5 * index]?.state == .finished(.ownerReleased))
      #expect(timers[5 * index + 1]?.state == .finished(.cancelled))
      #expect(timers[5 * index + 2]?.state == .finished(.ownerReleased))
      #expect(timers[5 * index + 3]?.state == .scheduled)
      #expect(timers[5 * index + 4]?.state == .scheduled)
    }
    withExtendedLifetime(owners) {}
  }

  // A check takes long if it releases values that take long to release.
  @Test(.tags(.threads), .guarantee("G120")) func `A check for owners isn't made while another is under way`()
    async
  {
    let (begun, latch) = (Journal<Void>(), DispatchSemaphore(value: 0))
    func ownTimer(_ onRelease: @escaping @Sendable () -> Void) -> ReleaseProbe {
      let owner = ReleaseProbe()
      scheduler.schedule(schedule(onRelease), owner: owner) { _, _ in }
      return owner
    }
    // Owners are checked in no order that is known, so there are many others.
    var owners = (0..<200).map { _ in ownTimer {} }
    owners.append(
      ownTimer {
        begun.note()
        latch.wait()
      })
    #expect(owners.count == 201)
    owners = []
    let driver = scheduler.driver
    async let sleeps = Threads.run(1) { _ in driver.endOrphans() }
    await begun.next(1)
    let count = await scheduler.timerCount
    driver.endOrphans()
    #expect(await scheduler.timerCount == count)
    latch.signal()
    _ = await sleeps
    #expect(await scheduler.timerCount == 0)
  }

  @Test func `All timers of an owner that has thousands are controlled at once`() async {
    let (owner, other) = (ReleaseProbe(), ReleaseProbe())
    let timers = (0..<3_000).map { _ in scheduler.timer(on: .every(3600), owner: owner) }
    let unrelated = scheduler.timer(on: .every(3600), owner: other)
    await scheduler.pauseAll(owner: owner)
    #expect(timers.allSatisfy { $0.state == .paused })
    for timer in timers.prefix(1_000) { timer.cancel() }
    await scheduler.resumeAll(owner: owner)
    #expect(timers.dropFirst(1_000).allSatisfy { $0.state == .scheduled })
    await scheduler.cancelAll(owner: owner)
    #expect(timers.allSatisfy { $0.state == .finished(.cancelled) })
    #expect(unrelated.state == .scheduled)
    #expect(await scheduler.timerCount == 1)
    withExtendedLifetime((owner, other)) {}
  }
}
