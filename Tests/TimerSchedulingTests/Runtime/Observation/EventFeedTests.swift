import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Observers that are slow, or don't return.
@Suite(.limited) struct EventFeedTests {
  /// Doesn't return from the first event until it is let.
  private final class Sleeper: TimerObserver {
    let log = Journal<TimerEvent>()
    private let isAsked = Latch()
    private let mayGoOn = DispatchSemaphore(value: 0)
    private let isFirst = Box<Bool>()

    func observe(_ event: TimerEvent) {
      if isFirst.value == nil {
        isFirst.value = false
        isAsked.open()
        mayGoOn.wait()
      }
      log.observe(event)
    }

    /// Waits until the first event has come.
    func waitUntilAsked() async { await isAsked.wait() }

    func wake() { mayGoOn.signal() }
  }

  private let sleeper = Sleeper()

  @Test(.tags(.realClock), .guarantee("G65"))
  func `While an observer doesn't return, ticks come and calls are answered`() async {
    let scheduler = TimerScheduler(configuration: .init(observer: sleeper))
    let consumer = Consumer(scheduler.ticks(every: 0.001, name: "a"))
    let runs = Journal<TimerTick>()
    // It ends by itself, so that not too many events wait if the test goes on slowly.
    let timer = scheduler.schedule(.every(0.001).limit(20)) { tick in runs.note(tick) }
    await sleeper.waitUntilAsked()
    for _ in 0..<20 {
      #expect(await consumer.next() != nil)
      _ = await runs.next()
    }
    #expect(scheduler.timer(named: "a") != nil)
    #expect(await scheduler.statistics.tickCount >= 40)
    #expect(await timer.waitUntilFinished() == .completed)
    #expect(sleeper.log.entries.isEmpty)
    scheduler.shutdown()
    sleeper.wake()
    await scheduler.shutdownAndWait()
    #expect(sleeper.log.lines.first == "a scheduled")
    #expect(sleeper.log.lines.last == "a finished: schedulerShutDown")
  }

  @Test(.tags(.realClock), .guarantee("G68"))
  func `A shutdown waits until an observer has its events`() async throws {
    let scheduler = TimerScheduler(configuration: .init(observer: sleeper))
    scheduler.schedule(.every(1_000_000), name: "a") { _ in }
    await sleeper.waitUntilAsked()
    let isOver = Box<Bool>()
    let shutdown = Task {
      await scheduler.shutdownAndWait()
      isOver.value = true
      return sleeper.log.lines
    }
    // Long enough for a shutdown that doesn't wait.
    try await Task.sleep(for: .milliseconds(100))
    #expect(isOver.value == nil)
    sleeper.wake()
    #expect(await shutdown.value == ["a scheduled", "a finished: schedulerShutDown"])
  }

  @Test(.guarantee("G66")) func `Beyond the limit of waiting events, the newest are counted`() async {
    let scheduler = TimerScheduler(configuration: .init(observer: sleeper))
    let timer = scheduler.timer(on: .every(1_000_000), name: "a")
    await sleeper.waitUntilAsked()
    let room = 65_536
    // With the one that is being delivered.
    for _ in 1..<room + 100 { timer.reschedule(.every(1_000_000)) }
    #expect(await scheduler.statistics.droppedEventCount == 100)
    sleeper.wake()
    // Until then there is no room for the end, either.
    await sleeper.log.next(room)
    #expect(sleeper.log.lines[0...2] == ["a scheduled", "a rescheduled", "a rescheduled"])
    timer.cancel()
    await scheduler.shutdownAndWait()
    #expect(sleeper.log.lines.count == room + 1)
    #expect(sleeper.log.lines.last == "a finished: cancelled")
    #expect(await scheduler.statistics.droppedEventCount == 100)
  }

  /// Makes a timer anew whenever one has ended, and so always has something to be told of.
  private final class RestartingObserver: TimerObserver {
    let scheduler = Box<TimerScheduler>()

    func observe(_ event: TimerEvent) {
      guard case .finished = event.kind, let scheduler = scheduler.value else { return }
      // Asking for its state ends a timer of a scheduler that has shut down.
      _ = scheduler.schedule(.every(1_000_000)) { _ in }.state
    }
  }

  @Test(.guarantee("G68")) func `A shutdown waits for the events up to then, and not for later ones`() async {
    let observer = RestartingObserver()
    let scheduler = TimerScheduler(configuration: .init(observer: observer))
    observer.scheduler.value = scheduler
    scheduler.schedule(.every(1_000_000)) { _ in }
    await scheduler.shutdownAndWait()
    observer.scheduler.value = nil
  }

  // Before its wait, or after some milliseconds, by which it nearly always waits.
  @Test(.guarantee("G68"), arguments: -1..<20)
  func `A shutdown that is cancelled doesn't wait for an observer`(delay: Int) async throws {
    let scheduler = TimerScheduler(configuration: .init(observer: sleeper))
    scheduler.schedule(.every(1_000_000), name: "a") { _ in }
    await sleeper.waitUntilAsked()
    let shutdown = Task {
      if delay < 0 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
      await scheduler.shutdownAndWait()
    }
    if delay >= 0 { try await Task.sleep(for: .milliseconds(delay)) }
    shutdown.cancel()
    await shutdown.value
    #expect(sleeper.log.entries.isEmpty)
    sleeper.wake()
  }

  // MARK: Many threads

  @Test(.tags(.threads), .guarantee("G61"))
  func `A timer that others find by its name while it is made has begun before anything else`() async {
    let log = Journal<TimerEvent>()
    let scheduler = TimerScheduler(configuration: .init(observer: log))
    let (begun, mayEnd) = (Latch(), Latch())
    scheduler.schedule(.after(0.001), name: "a") { _ in
      await withTaskCancellationHandler {
        begun.open()
        await mayEnd.wait()
      } onCancel: {
        // Called as the timer is replaced, when the new one has its name and isn't handed to the scheduler
        // yet.
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
          let timer = scheduler.timer(named: "a")
          timer?.pause()
          timer?.resume()
          timer?.reschedule(.every(2000))
          timer?.pause()
          isDone.signal()
        }
        isDone.wait()
      }
    }
    await begun.wait()
    let timer = await withCheckedContinuation { continuation in
      // A thread of its own, as it is held up.
      Thread.detachNewThread {
        continuation.resume(returning: scheduler.schedule(.every(1_000_000), name: "a") { _ in })
      }
    }
    #expect(await scheduler.statistics.live == [0, 1, 1])
    timer.cancel()
    mayEnd.open()
    await scheduler.shutdownAndWait()
    #expect(
      log.lines == [
        "a scheduled", "a tick 0", "a finished: replaced", "a scheduled", "a paused", "a resumed",
        "a rescheduled",
        "a paused", "a finished: cancelled",
      ])
    #expect(await scheduler.statistics.live == [0, 0, 0])
  }

  @Test(.tags(.threads), .guarantee("G61"))
  func `With many threads, the events of each timer make sense`() async {
    let log = Journal<TimerEvent>()
    let scheduler = TimerScheduler(configuration: .init(observer: log))
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for round in 0..<500 {
            let name = "\(round % 7)"
            let timer = scheduler.schedule(.every(.microseconds(50)), name: name) { _ in }
            timer.pause()
            await Task.yield()
            timer.resume()
            if worker == 0 { await Task.yield() }
            timer.cancel()
          }
        }
      }
    }
    await scheduler.shutdownAndWait()
    let statistics = await scheduler.statistics
    #expect(statistics.droppedEventCount == 0)
    #expect(statistics.live == [0, 0, 0])
    var stories: [ScheduledTimer.ID: TimerStory] = [:]
    for event in log.entries { stories[event.timer, default: TimerStory()].tell(event.kind) }
    #expect(stories.count == 2000)
    let contradictions = stories.values.flatMap(\.contradictions)
    #expect(contradictions == [])
    let areFinished = stories.values.allSatisfy(\.isFinished)
    #expect(areFinished)
    #expect(stories.values.map(\.ticks).reduce(0, +) == statistics.tickCount)
    #expect(stories.values.map(\.missed).reduce(0, +) == statistics.missedCount)
  }

  // Each thread waits for the one before it, so each pause comes after the one before.
  @Test(.tags(.threads), .guarantee("G63"))
  func `An event that follows from another timer's is told after it`() async {
    let log = Journal<TimerEvent>()
    let scheduler = TimerScheduler(configuration: .init(observer: log))
    let threadCount = 4
    let roundCount = 2_000
    let timers = (0..<threadCount * roundCount).map { _ in scheduler.timer(on: .every(3600)) }
    let turns = (0..<threadCount).map { _ in DispatchSemaphore(value: 0) }
    turns[0].signal()
    await Threads.run(threadCount) { thread in
      for round in 0..<roundCount {
        turns[thread].wait()
        timers[threadCount * round + thread].pause()
        turns[(thread + 1) % threadCount].signal()
      }
    }
    await scheduler.shutdownAndWait()
    let pauses = log.entries.compactMap { if case .paused = $0.kind { $0.timer } else { nil } }
    #expect(pauses == timers.map(\.id))
  }
}
