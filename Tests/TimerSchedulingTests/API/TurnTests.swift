import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Consumers that find a tick each time they ask give other tasks their turn.
@Suite(.limited, .guarantee("G47")) struct TurnTests: VirtualTimeSuite {
  let time = VirtualTime.manual()
  private let journal = Journal<String>()
  private static let backlog = 100

  enum Consumer: CaseIterable { case action, firings }

  @MainActor
  @Test(arguments: Consumer.allCases)
  func `Other tasks of the main actor have their turn during a backlog`(of consumer: Consumer) async {
    let schedule = TimerSchedule.every(1).missedTicks(.burst).limit(Self.backlog)
    // The first tick makes a task for the main actor, whose queue is first in, first out.
    let take = { @MainActor [journal] (tick: TimerTick) in
      journal.note("tick")
      if tick.index == 0 { Task { @MainActor in journal.note("other") } }
    }
    clock.letPass(.seconds(0.5))
    switch consumer {
    case .action:
      let timer = scheduler.schedule(schedule) { @MainActor in take($0) }
      await clock.stall(for: .seconds(Self.backlog))
      await timer.waitUntilFinished()
    case .firings:
      let timer = scheduler.timer(on: schedule)
      let firings = timer.firings
      await clock.stall(for: .seconds(Self.backlog))
      for await tick in firings { take(tick) }
    }
    let entries = journal.entries
    #expect(entries.count { $0 == "tick" } == Self.backlog)
    #expect(entries.prefix(2) == ["tick", "other"], "\(consumer)")
  }

  @MainActor
  @Test func `The main actor cancels a timer whose action takes longer than its interval`() async {
    let runs = Journal<Int>()
    let timer = scheduler.schedule(.every(1).missedTicks(.burst)) { @MainActor in runs.note($0.index) }
    let cancelling = Task { @MainActor in
      _ = await runs.next()
      timer.cancel()
    }
    await clock.stall(for: .seconds(100_000))
    await cancelling.value
    await timer.cancelAndWait()
    #expect(runs.entries.count < 100_000)
  }

  @MainActor
  @Test(.hazard("Y7"), arguments: Consumer.allCases)
  func `After another task has used its turn to cancel the timer, no tick is seen`(by consumer: Consumer)
    async
  {
    let box = Box<ScheduledTimer>()
    var isCancelled = false
    let take = { @MainActor (tick: TimerTick) in
      #expect(!isCancelled)
      guard tick.index == 3 else { return }
      Task { @MainActor in
        isCancelled = true
        box.value?.cancel()
      }
    }
    let schedule = TimerSchedule.every(1).missedTicks(.burst)
    switch consumer {
    case .action:
      let timer = scheduler.schedule(schedule) { @MainActor in take($0) }
      box.value = timer
      await clock.stall(for: .seconds(Self.backlog))
      await timer.waitUntilFinished()
    case .firings:
      let timer = scheduler.timer(on: schedule)
      box.value = timer
      let firings = timer.firings
      await clock.stall(for: .seconds(Self.backlog))
      for await tick in firings { take(tick) }
    }
    #expect(isCancelled)
  }
}
