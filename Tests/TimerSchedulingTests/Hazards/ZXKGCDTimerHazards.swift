import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The faults of ZXKGCDTimer, which ran blocks and selectors and handed out string tokens for them.
@Suite(.timeLimit(.minutes(30))) struct ZXKGCDTimerHazards {
  private let clock = VirtualClock.manual()
  private let scheduler: TimerScheduler
  private let start: Date

  init() {
    scheduler = clock.makeScheduler()
    start = clock.date
  }

  private func advance(_ seconds: Double) async {
    await clock.advance(by: .seconds(seconds))
    await scheduler.waitUntilActionsHaveEnded()
  }

  // A token was the number of timers at the time. After a cancellation the next timer got a token that was in
  // use, and a stale token controlled another timer. Fails where ids come again, or handles find timers by name.
  @Test func `Z1: A finished timer's handle controls nothing`() async {
    let first = scheduler.timer(on: .every(10))
    let second = scheduler.timer(on: .every(10))
    first.cancel()
    #expect(await scheduler.timerCount == 1)
    let third = scheduler.timer(on: .every(10))
    let named = scheduler.timer(on: .every(10), name: "code")
    let successor = scheduler.timer(on: .every(10), name: "code")
    #expect(Set([first, second, third, named, successor].map(\.id)).count == 5)
    #expect(await scheduler.timer(id: first.id) == nil)
    #expect(await scheduler.timer(id: third.id) == third)
    let ids = (0..<1_000).map { number in
      let timer = scheduler.timer(on: .every(10))
      if number.isMultiple(of: 2) { timer.cancel() }
      return timer.id
    }
    #expect(Set(ids).count == 1_000)

    await advance(4)
    for stale in [first, named] {
      stale.resume(.immediately)
      stale.fire()
      stale.reschedule(.every(1))
      stale.pause()
      stale.cancel()
    }
    #expect(first.state == .finished(.cancelled))
    #expect(named.state == .finished(.replaced))
    for timer in [second, third, successor] {
      #expect(timer.state == .scheduled)
      #expect(timer.remainingTime == .seconds(6))
    }
    #expect(await scheduler.timer(named: "code") == successor)
  }

  // The end of a one-shot cancelled the timer that had its token by then, such as one that its own task had made. Fails
  // where a timer ends by its name, or where a run's end reaches beyond its timer.
  @Test func `Z2: A one-shot doesn't end the successor its action schedules, a hundred times`() async {
    let scheduler = scheduler
    let links = Journal<Int>()
    @Sendable func schedule(_ link: Int) {
      scheduler.schedule(.after(1), name: "chain") { _ in
        if link < 100 { schedule(link + 1) }
        links.note(link)
      }
    }
    schedule(1)
    for link in 1...100 {
      await advance(1)
      #expect(links.entries == Array(1...link))
      #expect(await scheduler.timer(named: "chain")?.remainingTime == (link < 100 ? .seconds(1) : nil))
    }
  }

  // Suspensions were counted by Dispatch: two pauses took two continues, a continue too many trapped, and so
  // did the release of a timer that was cancelled while paused. Fails, in the child, where calls on the source
  // don't balance, and where a pause or a resume counts twice.
  @Test(.tags(.realClock))
  func `Z3: Pause, resume and cancel are balanced in every order, on a real source`() async {
    await #expect(processExitsWith: .success) {
      for sequence in Control.sequences(upTo: 5) {
        weak var released: TimerDriver?
        do {
          let scheduler = TimerScheduler()
          released = scheduler.driver
          let timer = scheduler.timer(on: .every(3600))
          var expected = ScheduledTimer.State.scheduled
          for control in sequence {
            control.apply(to: timer)
            expected = control.state(after: expected)
            #expect(timer.state == expected)
            // The source has followed.
            #expect(await scheduler.timerCount == (expected == .finished(.cancelled) ? 0 : 1))
          }
        }
        #expect(await isReleased { released })
      }
    }
  }

  // Pause and continue didn't take the lock that the other calls took. Fails where a read and a write of the
  // state aren't one step, as a scope's beginning or end is then lost; the thread sanitizer sees the rest.
  @Test(.tags(.threads)) func `Z4: Eight tasks at once leave a timer as one after another would`() async {
    let timer = scheduler.timer(on: .every(10))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<2_000 {
            await timer.withPaused { timer.pause() }
            timer.resume()
          }
        }
      }
    }
    #expect(timer.state == .scheduled)
    #expect(timer.remainingTime == .seconds(10))
    timer.pause()
    #expect(timer.state == .paused)
    timer.resume()
    #expect(timer.state == .scheduled)
  }

  // The timer kept its target, whose dealloc, where it would have been cancelled, so never came. Fails where
  // a timer or its last run holds the owner.
  @Test func `Z5: An owner that cancels its timer in its deinit gets there`() async {
    let journal = Journal<String>()
    weak var released: Screen?
    do {
      let screen = Screen(journal)
      released = screen
      screen.start(on: scheduler)
      await advance(1)
      #expect(journal.entries == ["tick"])
      withExtendedLifetime(screen) {}
    }
    #expect(await isReleased { released })
    // It is gone for others before its deinit begins.
    for entry in ["tick", "deinit"] { #expect(await journal.next() == entry) }
    #expect(await scheduler.timerCount == 0)
    await advance(10)
    #expect(journal.entries == ["tick", "deinit"])
  }

  private final class Screen: Sendable {
    private let journal: Journal<String>
    /// Guards the timer, which is made after the screen.
    private let timer = Lock<ScheduledTimer?>(nil)

    init(_ journal: Journal<String>) { self.journal = journal }

    func start(on scheduler: TimerScheduler) {
      let timer = scheduler.schedule(.every(1), owner: self) { screen, _ in screen.journal.note("tick") }
      self.timer.withLock { $0 = timer }
    }

    deinit {
      timer.withLock { $0 }?.cancel()
      journal.note("deinit")
    }
  }

  // NaN passed the checks, since every comparison with it is false, and a refused number gave nil without a
  // message. Fails where a number gets through or the error doesn't say which it was.
  @Test(arguments: [Double.nan, .infinity, -.infinity, 0, -0.5, -1e300])
  func `Z6: A number that is no interval is refused with an error that says what was given`(seconds: Double) {
    #expect { try TimerSchedule(validatingEvery: seconds) } throws: { error in
      error is TimerScheduleError && "\(error)".contains("\(seconds)")
    }
  }

  // Huge intervals overflowed on their way to nanoseconds. Fails where one traps, or wraps round to fire.
  @Test(arguments: [1e10, 1e19, 1e30, Double.greatestFiniteMagnitude])
  func `Z6: A huge interval never comes, and delays no other timer`(seconds: Double) async throws {
    let huge = scheduler.timer(on: try TimerSchedule(validatingEvery: seconds))
    let late = scheduler.timer(on: try TimerSchedule(validatingAfter: seconds))
    var ticks = scheduler.ticks(every: 1).makeAsyncIterator()
    await advance(1)
    #expect(await ticks.next() == start + 1)
    await advance(3e9)
    #expect(await ticks.next() == start + 1 + 3e9)
    for timer in [huge, late] {
      #expect(timer.state == .scheduled)
      #expect(await scheduler.snapshots.first { $0.id == timer.id }?.lastLateness == nil)
    }
  }

  // Cancelling let a running handler go on, and nothing reported its end. Fails where the
  // call returns before the action has: both are on the main actor, so the action can't end meanwhile.
  @MainActor
  @Test func `Z7: An action has returned when cancelAndWait does`() async {
    let journal = Journal<String>()
    let (forever, end) = AsyncStream.makeStream(of: Int.self)
    let timer = scheduler.schedule(.after(1)) { @MainActor _ in
      journal.note("begins")
      // Until the task is cancelled.
      for await _ in forever {}
      journal.note("ends")
    }
    await clock.advance(by: .seconds(1))
    #expect(await journal.next() == "begins")
    await timer.cancelAndWait()
    #expect(journal.entries == ["begins", "ends"])
    end.finish()
  }

  // A one-shot was a repeating source, with an interval of zero, that was to be cancelled at its first call.
  // Fails where a one-shot is filed again.
  @Test(arguments: [
    TimerSchedule.after(.zero), .after(0), .at(Date(timeIntervalSinceReferenceDate: 0)), .at(.distantPast),
  ])
  func `Z8: A one-shot of no delay fires once`(schedule: TimerSchedule) async {
    let runs = Journal<Int>()
    let timer = scheduler.schedule(schedule) { runs.note($0.index) }
    await advance(0)
    #expect(runs.entries == [0])
    #expect(timer.state == .finished(.completed))
    await advance(3600)
    #expect(runs.entries == [0])
    #expect(clock.wakeupCount <= 1)
    #expect(clock.armedCount == 0)
  }
}
