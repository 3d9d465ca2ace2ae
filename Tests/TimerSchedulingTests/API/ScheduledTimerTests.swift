import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The facts that a handle tells about its timer.
@Suite(.limited) struct ScheduledTimerTests {
  private let scheduler = VirtualClock.manual().kept().makeScheduler()

  @Test func `An identifier comes back from its description`() async throws {
    let timer = scheduler.timer(on: .every(1), name: "refresh")
    let id = try #require(ScheduledTimer.ID(timer.id.description))
    #expect(id == timer.id)
    #expect(scheduler.timer(id: id) == timer)
    #expect(ScheduledTimer.ID("refresh") == nil)
  }

  @Test(.hazard("Z1"))
  func `An identifier finds its timer until that ends, whatever became of its place`() async throws {
    let timer = scheduler.timer(on: .every(1))
    let id = timer.id
    timer.reschedule(.at(Date(timeIntervalSince1970: 5e9)))
    #expect(timer.id == id && timer.id.place == id.place)
    for id in [id, timer.id] { #expect(scheduler.timer(id: id) == timer) }
    timer.cancel()
    // Takes the place.
    let next = scheduler.timer(on: .every(1))
    for id in [id, timer.id] { #expect(scheduler.timer(id: id) == nil) }
    #expect(scheduler.timer(id: next.id) == next)
    let elsewhere = VirtualClock.manual().kept().makeScheduler()
    #expect(elsewhere.timer(id: next.id) == nil)
  }

  @Test(.hazard("Z1"))
  func `A handle whose timer has ended controls no other, even one that has its place or its name`() async {
    let (ended, replaced) = (scheduler.timer(on: .every(10)), scheduler.timer(on: .every(10), name: "job"))
    ended.cancel()
    let others = [scheduler.timer(on: .every(10)), scheduler.timer(on: .every(10), name: "job")]
    for timer in [ended, replaced] {
      timer.pause()
      timer.fire()
      timer.reschedule(.every(1))
      timer.resume(.immediately)
      timer.cancel()
    }
    #expect([ended, replaced].map(\.state) == [.finished(.cancelled), .finished(.replaced)])
    for other in others {
      #expect(other.state == .scheduled)
      #expect(other.remainingTime == .seconds(10))
    }
    #expect(scheduler.timer(named: "job") == others[1])
  }

  // Without it the scheduler would look at all its timers.
  @Test func `Every identifier of a timer contains its place`() async {
    let clock = VirtualClock()
    let log = Journal<TimerEvent>()
    let scheduler = TimerScheduler(clock: clock, configuration: .init(observer: log))
    let run = Box<ScheduledTimer.ID>()
    let timer = scheduler.schedule(.every(1)) { _ in run.value = ActionRun.current?.timer }
    await clock.advance(by: .seconds(1))
    let snapshot = await scheduler.snapshots.first?.id
    timer.cancel()
    await scheduler.shutdownAndWait()
    let ids: [ScheduledTimer.ID?] = [timer.id, run.value, snapshot] + log.entries.map(\.timer)
    #expect(ids.count == 6)
    for id in ids { #expect(id?.place != nil) }
  }

  @Test func `Handles of one timer are equal, and others aren't`() async {
    let timer = scheduler.timer(on: .every(1), name: "refresh")
    let other = scheduler.timer(on: .every(1))
    let found = scheduler.timer(named: "refresh")
    #expect(Set([timer, other, found].compactMap(\.self)).count == 2)
    #expect(found?.name == "refresh")
    #expect(other.name == nil)
  }

  @Test func `Timers, countdowns and schedulers say what they are`() {
    let timer = scheduler.timer(on: .every(1), name: "refresh")
    let unnamed = scheduler.schedule(.every(1)) { _ in }
    let countdown = scheduler.countdown(from: .seconds(3), name: "code")
    timer.pause()
    unnamed.cancel()
    #expect("\(timer)" == "timer \(timer.id) \"refresh\", paused")
    #expect("\(unnamed)" == "timer \(unnamed.id), finished(cancelled)")
    #expect("\(countdown)".hasPrefix("countdown "))
    #expect("\(countdown)".hasSuffix(" \"code\", scheduled, 3.0 seconds"))
    #expect("\(scheduler)" == "scheduler \"TimerScheduler\", 2 timers")
    countdown.cancel()
    #expect("\(scheduler)" == "scheduler \"TimerScheduler\", 1 timer")
  }

  @Test func `A timer says whether it is paused or finished, and what a call has done`() {
    let timer = scheduler.timer(on: .every(1))
    #expect(!timer.isPaused && !timer.state.isFinished)
    timer.pause()
    #expect(timer.isPaused && !timer.state.isFinished)
    #expect(timer.reschedule(.every(2)))
    #expect(timer.cancel())
    #expect(!timer.isPaused && timer.state.isFinished)
    #expect(!timer.cancel())
    #expect(!timer.reschedule(.every(1)))
  }

  @Test func `The short spellings are those of the long ones`() async throws {
    let clock = VirtualClock(date: Date(timeIntervalSinceReferenceDate: 0))
    let scheduler = TimerScheduler(clock: clock)
    let seconds: TimeInterval = 2
    let runs = Journal<TimeInterval>()
    @Sendable func note(_ tick: TimerTick) { runs.note(tick.date.timeIntervalSinceReferenceDate) }
    scheduler.schedule(every: seconds, starting: .immediately, limit: 2) { note($0) }
    scheduler.schedule(after: 5) { note($0) }
    scheduler.schedule(at: Date(timeIntervalSinceReferenceDate: 6)) { note($0) }
    let owner = TimerOwner()
    scheduler.schedule(after: .seconds(7), owner: owner) { _, tick in note(tick) }
    scheduler.schedule(every: .seconds(9), limit: 1, owner: owner) { _, tick in note(tick) }
    scheduler.schedule(at: Date(timeIntervalSinceReferenceDate: 11), owner: owner) { _, tick in note(tick) }
    scheduler.schedule(.every(seconds).limit(0)) { note($0) }
    scheduler.schedule(.after(seconds)) { note($0) }
    await clock.advance(by: .seconds(20))
    #expect(runs.entries == [0, 2, 2, 5, 6, 7, 9, 11])
    let loop = clock.addTask {
      var count = 0
      for await _ in scheduler.ticks(every: seconds, limit: 1) { count += 1 }
      for await _ in scheduler.ticks(on: .every(seconds).limit(1)) { count += 1 }
      return count
    }
    await clock.advance(by: 2 * seconds)
    #expect(await loop.value == 2)
  }
}
