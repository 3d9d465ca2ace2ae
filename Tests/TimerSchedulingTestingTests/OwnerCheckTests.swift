import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The checks of owners by the clock, which looks wherever it stops.
@Suite(.limited, .guarantee("G137")) struct OwnerCheckTests: VirtualTimeSuite {
  let time = VirtualTime()

  private final class Owner: Sendable {
    let ticks = Journal<Date>()
  }

  @Test func `While an owner lives, the clock stops only for its timers`() async {
    let owner = Owner()
    scheduler.schedule(.every(3600), owner: owner) { owner, tick in owner.ticks.note(tick.date) }
    await clock.advance(by: .seconds(86_400))
    #expect(owner.ticks.entries == (1...24).map { start + 3600 * Double($0) })
    #expect(clock.wakeupCount == 24)
    #expect(await clock.runUntilIdle(limit: .seconds(1)) == false)
  }

  @Test func `A timer ends one check interval after a move in which its owner was gone has begun`() async {
    var owner: Owner? = Owner()
    let timer = scheduler.timer(on: .every(3600), owner: owner ?? Owner())
    timer.pause()
    await clock.advance(by: .seconds(100.25))
    owner = nil
    await clock.advance(by: .seconds(1) - .nanoseconds(1))
    #expect(await scheduler.timerCount == 1)
    await clock.advance(by: .nanoseconds(1))
    #expect(await scheduler.timerCount == 0)
    #expect(timer.state == .finished(.ownerReleased))
    #expect(await clock.runUntilIdle(limit: .zero))
  }

  @Test func `A timer ends one check interval after the stop at which its owner has gone`() async throws {
    let owner = Box<Owner>()
    owner.value = Owner()
    let timer = scheduler.timer(on: .every(3600), owner: try #require(owner.value))
    let end = clock.addTask { [clock] in
      _ = await timer.waitUntilFinished()
      return clock.date
    }
    scheduler.schedule(.after(10)) { _ in owner.value = nil }
    scheduler.schedule(.every(0.75)) { _ in }
    await clock.advance(by: .seconds(100))
    #expect(await end.value == start + 11)
  }

  @Test func `An owner that is gone before the first move is noticed, too, even by a stall`() async {
    var owner: Owner? = Owner()
    let timer = scheduler.timer(on: .every(3600), owner: owner ?? Owner())
    owner = nil
    await clock.stall(for: .seconds(1))
    #expect(await scheduler.timerCount == 0)
    withExtendedLifetime(timer) {}
  }
}
