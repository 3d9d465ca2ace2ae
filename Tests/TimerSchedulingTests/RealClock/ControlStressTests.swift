import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.tags(.realClock, .threads), .limited)
struct ControlStressTests {
  private static let interval = Duration.microseconds(50)

  @Test(.guarantee("G26", "G92"))
  func `In a hundred thousand rounds a consumer gets no tick after its own call`() async {
    let scheduler = TimerScheduler()
    let violations = Counter()
    let tickCount = Counter()
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for round in 0..<rounds(25_000) {
            let timer = scheduler.timer(on: .every(Self.interval), name: "\(worker)")
            var firings = timer.firings.makeAsyncIterator()
            // One round in eight waits for a tick, so that calls come at every point of a timer's life.
            for _ in 0..<(round % 8 == 0 ? 1 + round % 2 : 0) {
              if await firings.next() != nil { tickCount.add() }
            }
            switch round % 5 {
            case 0:
              timer.cancel()
            case 1:
              _ = scheduler.ticks(every: .seconds(3600), name: "\(worker)")
            case 2:
              await timer.cancelAndWait()
            case 3:
              timer.pause()
              // Another task resumes, or the timer would stay paused for ever.
              let resumed = Box<Bool>()
              let resuming = Task {
                resumed.value = true
                timer.resume(.immediately)
              }
              if await firings.next() != nil, resumed.value == nil { violations.add() }
              await resuming.value
              timer.cancel()
            default:
              timer.reschedule(.every(.seconds(3600)))
              let cancelling = Task { timer.cancel() }
              if await firings.next() != nil { violations.add() }
              _ = await cancelling.value
            }
            if await firings.next() != nil { violations.add() }
          }
        }
      }
    }
    #expect(violations.value == 0)
    #expect(tickCount.value > rounds(10_000))
    #expect(await scheduler.timerCount == 0)
    #expect(scheduler.nameCount == 0)
  }

  @Test(.guarantee("G26")) func `No tick fires after a call of another thread has returned`() async {
    let scheduler = TimerScheduler()
    let violations = Counter()
    let tickCount = Counter()
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<2 {
        group.addTask {
          for round in 0..<rounds(5_000) {
            let timer = scheduler.timer(on: .every(Self.interval), name: "\(worker)")
            let firings = timer.firings
            let consumer = Task { () -> Date? in
              var last: Date?
              for await tick in firings {
                last = tick.date
                tickCount.add()
              }
              return last
            }
            var pace = scheduler.ticks(every: .microseconds(1 + (round * 7) % 150)).makeAsyncIterator()
            _ = await pace.next()
            switch round % 3 {
            case 0: timer.cancel()
            case 1: timer.pause()
            default: _ = scheduler.timer(on: .every(.seconds(3600)), name: "\(worker)")
            }
            let returned = Date()
            if round % 3 == 1 {
              _ = await pace.next()
              timer.cancel()
            }
            if let last = await consumer.value, last > returned { violations.add() }
          }
        }
      }
    }
    await scheduler.cancelAll()
    #expect(violations.value == 0)
    #expect(tickCount.value > rounds(1_000))
    #expect(await scheduler.timerCount == 0)
  }

  @MainActor
  private final class Screen {
    var isClosed = false
    var isPaused = false
    var tickCount = 0
    var violationCount = 0

    func show() {
      tickCount += 1
      if isClosed || isPaused { violationCount += 1 }
    }
  }

  @MainActor
  @Test(.hazard("W4"), .guarantee("G27"))
  func `A loop and an action on the main actor see nothing after its call`() async {
    // The first clock of a process changes its executors. A job that is under way then leaves the main actor
    // once.
    _ = VirtualClock()
    let scheduler = TimerScheduler()
    var pace = scheduler.ticks(every: .microseconds(70)).makeAsyncIterator()
    let ofAction = Screen()
    let ofLoop = Screen()
    for round in 0..<rounds(10_000) {
      let timer = scheduler.schedule(.every(Self.interval)) { @MainActor _ in ofAction.show() }
      let firings = timer.firings
      let loop = Task { @MainActor in
        for await _ in firings { ofLoop.show() }
      }
      if round % 2 == 0 { _ = await pace.next() }
      if round % 4 < 2 {
        timer.pause()
        for screen in [ofAction, ofLoop] { screen.isPaused = true }
        // Jobs that were sent to the main actor run now.
        await Task.yield()
        for screen in [ofAction, ofLoop] { screen.isPaused = false }
        timer.resume(.immediately)
        await Task.yield()
      }
      timer.cancel()
      for screen in [ofAction, ofLoop] { screen.isClosed = true }
      await loop.value
      await timer.cancelAndWait()
      for screen in [ofAction, ofLoop] { screen.isClosed = false }
    }
    for screen in [ofAction, ofLoop] {
      #expect(screen.violationCount == 0)
      #expect(screen.tickCount > rounds(2_000))
    }
  }

  @Test(.hazard("Z3"), .guarantee("G29"))
  func `Threads that pause and resume against each other leave machine and queue agreeing`() async {
    let scheduler = TimerScheduler()
    for _ in 0..<rounds(100) {
      let timer = scheduler.timer(on: .every(Self.interval))
      let consumer = Consumer(timer.firings)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { for _ in 0..<1_000 { timer.pause() } }
        group.addTask { for _ in 0..<1_000 { timer.resume() } }
        group.addTask {
          for _ in 0..<100 { await timer.withPaused { timer.fire() } }
        }
        group.addTask {
          for round in 0..<100 { timer.reschedule(.every(.microseconds(40 + round % 20))) }
        }
      }
      // Work that is still under way is done when the paused timer has no deadline filed.
      let state = timer.state
      if state == .paused {
        #expect(await scheduler.filedCount == 0)
        #expect(timer.remainingTime != nil)
      }
      timer.resume()
      #expect(timer.state == .scheduled)
      #expect(await consumer.next() != nil)
      timer.pause()
      #expect(await scheduler.filedCount == 0)
      #expect(timer.state == .paused)
      timer.cancel()
      await consumer.waitUntilDone()
      #expect(await scheduler.timerCount == 0)
      #expect(await scheduler.filedCount == 0)
    }
  }

  @Test(.guarantee("G29")) func `Eight tasks do everything to shared timers`() async {
    let scheduler = TimerScheduler()
    let owners = (0..<3).map { _ in TimerOwner() }
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          var generator = SeededGenerator(seed: UInt64(task))
          var owner = TimerOwner()
          for _ in 0..<rounds(1_500) {
            let name = "timer \(Int.random(in: 0..<4, using: &generator))"
            let shared = owners[Int.random(in: 0..<3, using: &generator)]
            switch Int.random(in: 0..<14, using: &generator) {
            case 0: _ = scheduler.timer(on: .every(Self.interval), name: name)
            case 1: scheduler.schedule(.every(Self.interval).missedTicks(.burst), name: name) { _ in }
            case 2: scheduler.schedule(.every(Self.interval), name: name, owner: shared) { _, _ in }
            case 3: scheduler.timer(named: name)?.pause()
            case 4: scheduler.timer(named: name)?.resume(.keepingPhase)
            case 5: scheduler.timer(named: name, owner: shared)?.fire()
            case 6: scheduler.timer(named: name)?.reschedule(.every(.microseconds(20)))
            case 7: await scheduler.timer(named: name, owner: shared)?.cancelAndWait()
            case 8:
              _ = scheduler.timer(on: .every(Self.interval), name: name, owner: owner)
              owner = TimerOwner()
            case 9: await scheduler.pauseAll(owner: shared)
            case 10: await scheduler.resumeAll(owner: shared)
            case 11: _ = await scheduler.snapshots
            case 12: _ = scheduler.countdown(from: .milliseconds(1), every: .microseconds(50), name: name)
            default:
              if let timer = scheduler.timer(named: name) {
                let taken = Task { for await _ in timer.firings.prefix(2) {} }
                taken.cancel()
                await taken.value
              }
            }
          }
        }
      }
    }
    await scheduler.shutdownAndWait()
    #expect(await scheduler.timerCount == 0)
    #expect(await scheduler.filedCount == 0)
    #expect(scheduler.nameCount == 0)
    #expect(!scheduler.hasOwners)
  }
}
