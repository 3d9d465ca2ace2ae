import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling

@Suite(.tags(.realClock, .threads), .limited, .guarantee("G89"))
struct StressTests {
  @Test(.hazard("T9")) func `Eight tasks make, drop, replace and consume streams of one scheduler`() async {
    let scheduler = TimerScheduler()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          var kept: [AsyncStream<Date>] = []
          for round in 0..<rounds(3_000) {
            switch (round + task) % 6 {
            case 0: _ = scheduler.ticks(every: .microseconds(1 + round % 900))
            case 1: kept.append(scheduler.ticks(every: .microseconds(50), name: "name \(round % 5)"))
            case 2: kept.removeAll()
            case 3:
              for await _ in scheduler.ticks(every: .microseconds(20), limit: 3) {}
            case 4:
              let stream = scheduler.ticks(on: .every(0.000_1, starting: .aligned))
              let consumer = Task { for await _ in stream {} }
              consumer.cancel()
              await consumer.value
            default: kept.append(scheduler.ticks(on: .after(.microseconds(round % 200))))
            }
          }
        }
      }
    }
    // Each `await` comes after the work that the last streams posted.
    #expect(await scheduler.timerCount == 0)
    #expect(scheduler.nameCount == 0)
  }

  // Swift's runtime doesn't tell the thread sanitizer of a continuation that is resumed just then.
  @Test(.guarantee("G30"))
  func `A tick that is fired just as its listener begins to wait is taken`() async throws {
    let scheduler = TimerScheduler()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          let queue = DispatchQueue(label: "Fires")
          let timer = scheduler.timer(on: .every(3600))
          var ticks = timer.firings.makeAsyncIterator()
          for round in 0..<rounds(50_000) {
            queue.async {
              for _ in 0..<round % 200 { _ = DispatchTime.now() }
              timer.fire()
            }
            try #require(await ticks.next()?.index == round)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  // A change that is lost keeps its timer, and so the driver.
  @Test(.guarantee("G124"))
  func `Changes that eight tasks make at once all take effect, without another call`() async {
    for _ in 0..<rounds(200) {
      let releases = Journal<Void>()
      do {
        let scheduler = TimerScheduler(configuration: .init { releases.note() })
        await withTaskGroup(of: Void.self) { group in
          for task in 0..<8 {
            group.addTask {
              for round in 0..<100 {
                let timer = scheduler.schedule(.after(round % 7 == task % 7 ? 0.000_01 : 3600)) { _ in }
                timer.reschedule(.after(1800))
                timer.cancel()
              }
            }
          }
        }
      }
      await releases.next()
    }
  }

  // The one that comes later waits for the lock, as no pass is under way to which it could leave its timer.
  @Test func `Two timers of a shard that are cancelled at the same moment are both removed`() async {
    for _ in 0..<rounds(2_000) {
      let releases = Journal<Void>()
      do {
        let scheduler = TimerScheduler(configuration: .init { releases.note() })
        await scheduler.schedule(.after(.zero)) { _ in }.waitUntilFinished()
        let timers = (0..<2).map { _ in scheduler.timer(on: .every(3600)) }
        let (ready, go) = (Journal<Void>(), Box<Bool>())
        async let ended = Threads.run(2) { thread in
          ready.note()
          while go.value == nil {}
          timers[thread].cancel()
        }
        for _ in 0..<2 { await ready.next() }
        go.value = true
        _ = await ended
      }
      await releases.next()
    }
  }

  @Test func `Timers that are cancelled while they are being made leave nothing behind`() async {
    let scheduler = TimerScheduler()
    let owner = ReleaseProbe()
    let releases = Journal<Int>()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for round in 0..<20_000 {
          let probe = ReleaseProbe { releases.note(round) }
          scheduler.schedule(.after(3600), name: "\(round)", owner: owner) { _, _ in
            withExtendedLifetime(probe) {}
          }
        }
      }
      group.addTask {
        for _ in 0..<2_000 { await scheduler.cancelAll(owner: owner) }
      }
    }
    await scheduler.cancelAll(owner: owner)
    #expect(await scheduler.timerCount == 0)
    #expect(scheduler.nameCount == 0)
    // Their captured values are released in tasks.
    for _ in 0..<20_000 { _ = await releases.next() }
    #expect(releases.entries.count == 20_000)
  }

  // If the beginning or the end of a scope is lost, the timer stays paused.
  @Test(.hazard("Z4"))
  func `Eight tasks pause a timer by calls and in scopes, and it goes on after the last`() async {
    let timer = TimerScheduler().timer(on: .every(3600))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<rounds(50_000) {
            await timer.withPaused { timer.pause() }
            timer.resume()
          }
        }
      }
    }
    #expect(timer.state == .scheduled)
    timer.pause()
    #expect(timer.state == .paused)
    timer.resume()
    #expect(timer.state == .scheduled)
  }

  @Test(.hazard("M6")) func `A one-shot that is fired by hand as it is due ticks once`() async {
    let scheduler = TimerScheduler()
    let runs = Journal<Int>()
    for round in 1...rounds(2_000) {
      let schedule = TimerSchedule.after(.microseconds(round % 100)).missedTicks(.burst)
      let timer = scheduler.schedule(schedule) { runs.note($0.index) }
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { timer.fire() } }
      }
      await timer.waitUntilFinished()
      await scheduler.waitUntilActionsHaveEnded()
      #expect(runs.entries.count == round)
    }
  }

  @Test(.guarantee("G81")) func `No tick is delivered to a task after it was cancelled`() async {
    let scheduler = TimerScheduler()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for round in 0..<rounds(500) {
            let stream = scheduler.ticks(every: .microseconds(30))
            // The ticks that a task gets after it has cancelled itself.
            let ticksTaken = round % 4
            let itself = Task { () -> Date? in
              var iterator = stream.makeAsyncIterator()
              for _ in 0..<ticksTaken { _ = await iterator.next() }
              unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
              return await iterator.next()
            }
            #expect(await itself.value == nil)
            // The ticks that a task gets after another has cancelled it, at some point of its cycle of
            // waiting, being woken and taking: nothing that fired after the cancellation.
            let other = scheduler.ticks(every: .microseconds(30))
            let consumer = Task { () -> Date? in
              var last: Date?
              for await date in other { last = date }
              return last
            }
            var iterator = scheduler.ticks(every: .microseconds(1 + round % 97)).makeAsyncIterator()
            _ = await iterator.next()
            consumer.cancel()
            let cancelled = Date()
            if let last = await consumer.value { #expect(last <= cancelled) }
          }
        }
      }
    }
    #expect(await scheduler.timerCount == 0)
  }
}
