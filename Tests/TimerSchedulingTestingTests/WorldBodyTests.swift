import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Bodies in which time moves by itself: rules V6 to V8.
@Suite(.limited, .guarantee("G146")) struct WorldBodyTests {
  // MARK: V6

  @Test func `V6: Time moves by itself to each deadline, and the body can move it, too`() async throws {
    let log = Journal<Duration>()
    let end = try await withVirtualClock { clock in
      let scheduler = TimerScheduler(clock: clock)
      scheduler.schedule(.every(60)) { _ in log.note(clock.now.offset) }
      try await Task.sleep(for: .seconds(180))
      #expect(log.entries == [60, 120, 180].map { .seconds($0) })
      await clock.advance(by: .seconds(120))
      #expect(log.entries.count == 5)
      for await _ in scheduler.timer(on: .every(0.25).limit(4)).firings {}
      return clock.now.offset
    }
    #expect(end == .seconds(301))
    #expect(log.entries.count == 5)
  }

  @Test func `V6: Time stands still while the body holds it, and waits for something outside`() async throws {
    try await withVirtualClock { clock in
      let scheduler = TimerScheduler(clock: clock)
      scheduler.schedule(.every(1)) { _ in }
      for offset in [Duration.zero, .seconds(0.5)] {
        if offset > .zero { try await Task.sleep(for: offset) }
        await clock.holdTime {
          await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { continuation.resume() }
          }
        }
        #expect(clock.now.offset == offset)
      }
      async let late: Void = clock.sleep(for: .seconds(5))
      try await late
      #expect(clock.now.offset == .seconds(5.5))
    }
  }

  @Test func `V6: When the body has ended, its schedulers have shut down`() async throws {
    let count = Counter()
    let (clock, timer) = try await withVirtualClock { clock in
      let scheduler = TimerScheduler(clock: clock)
      let timer = scheduler.schedule(.every(1)) { _ in count.add() }
      try await clock.sleep(for: .seconds(3))
      return (clock, timer)
    }
    #expect(count.value == 3)
    #expect(await timer.waitUntilFinished() == .schedulerShutDown)
    await clock.advance(by: .seconds(2))
    #expect(count.value == 3)
  }

  @Test func `V6: A body on the main actor works as any other`() async throws {
    let log = Journal<Bool>()
    try await withVirtualClock { @MainActor clock in
      let scheduler = TimerScheduler(clock: clock)
      scheduler.schedule(.every(1)) { @MainActor _ in log.note(isOnMainQueue()) }
      MainActor.assertIsolated()
      try await Task.sleep(for: .seconds(3))
      MainActor.assertIsolated()
      log.note(isOnMainQueue())
      #expect(clock.now.offset == .seconds(3))
    }
    #expect(log.entries == [true, true, true, true])
  }

  @Test func `V6: A body's result, its error and the cancellation of its caller pass through`() async throws {
    struct Broken: Error {}
    #expect(try await withVirtualClock { _ in 42 } == 42)
    await #expect(throws: Broken.self) { try await withVirtualClock { _ in throw Broken() } }
    let begun = Latch()
    let caller = Task {
      try await withVirtualClock { clock in
        begun.open()
        let (never, _) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}
        try await Task.sleep(for: .seconds(1))
      }
    }
    await begun.wait()
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
  }

  @Test func `V6: A body within a body has a time of its own`() async throws {
    try await withVirtualClock { outer in
      try await Task.sleep(for: .seconds(1))
      try await withVirtualClock { inner in
        try await Task.sleep(for: .seconds(100))
        #expect(inner.now.offset == .seconds(100))
      }
      #expect(outer.now.offset == .seconds(1))
      try await Task.sleep(for: .seconds(1))
      #expect(outer.now.offset == .seconds(2))
    }
  }

  // MARK: V7

  @Test(.guarantee("G150"))
  func `V7: The sleeps of Swift's own clocks are virtual in a body and all that it makes`() async throws {
    try await withVirtualClock { clock in
      try await Task.sleep(for: .seconds(1))
      #expect(clock.now.offset == .seconds(1))
      try await Task.sleep(nanoseconds: 2_000_000_000)
      #expect(clock.now.offset == .seconds(3))
      try await Task.sleep(until: .now + .seconds(3), clock: .continuous)
      #expect(clock.now.offset == .seconds(6))
      try await Task.sleep(until: .now + .seconds(4), clock: .suspending)
      #expect(clock.now.offset == .seconds(10))
      try await ContinuousClock().sleep(for: .seconds(5))
      #expect(clock.now.offset == .seconds(15))
      try await SuspendingClock().sleep(for: .seconds(6))
      #expect(clock.now.offset == .seconds(21))
      try await Task { @MainActor in try await Task.sleep(for: .seconds(1)) }.value
      try await Task.detached { try await Task.sleep(for: .seconds(1)) }.value
      try await Task.immediate { try await Task.sleep(for: .seconds(1)) }.value
      try await Sleeper().sleep()
      #expect(clock.now.offset == .seconds(25))
      let scheduler = TimerScheduler(clock: clock)
      let timer = scheduler.schedule(.after(1)) { _ in try await Task.sleep(for: .seconds(1)) }
      _ = await timer.waitUntilFinished()
      await scheduler.waitUntilActionsHaveEnded()
      #expect(clock.now.offset == .seconds(27))
    }
  }

  @Test
  func `V7: A sleep after a long computation lasts for its length`() async throws {
    try await withVirtualClock { clock in
      let began = DispatchTime.now().uptimeNanoseconds
      while DispatchTime.now().uptimeNanoseconds - began < 60_000_000 {}
      try await Task.sleep(for: .milliseconds(250))
      #expect(clock.now.offset == .milliseconds(250))
    }
  }

  @Test
  func `V7: Short sleeps are in order, beside busy threads`() async throws {
    try await BusyLoops.run {
      for _ in 0..<rounds(1000) {
        let offsets = try await withVirtualClock { clock in
          await withTaskGroup(of: Duration.self) { group in
            for _ in 0..<12 {
              group.addTask {
                for _ in 0..<4 { try? await Task.sleep(for: .milliseconds(1)) }
                return clock.now.offset
              }
            }
            return await group.reduce(into: []) { $0.append($1) }
          }
        }
        #expect(offsets == Array(repeating: .milliseconds(4), count: 12))
      }
    }
  }

  @Test(.guarantee("G150"))
  func `V7: Sleeps of all lengths are exact, beside busy threads`() async throws {
    try await BusyLoops.run {
      for _ in 0..<rounds(200) {
        try await withVirtualClock { clock in
          var sum = Duration.zero
          for length: Duration in [
            .milliseconds(1), .milliseconds(20), .milliseconds(250), .seconds(1.5), .seconds(90),
          ] {
            try await Task.sleep(for: length)
            sum += length
            #expect(clock.now.offset == sum)
          }
        }
      }
    }
  }

  @Test
  func `V7: A sleep that is cancelled ends at once, and moves no clock`() async throws {
    try await withVirtualClock { clock in
      let sleep = Task { try await Task.sleep(for: .seconds(1000)) }
      try await Task.sleep(for: .seconds(1))
      sleep.cancel()
      await #expect(throws: CancellationError.self) { try await sleep.value }
      #expect(clock.now.offset == .seconds(1))
      // Cancelled before it began.
      let late = Task {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        try await Task.sleep(for: .seconds(1000))
      }
      await #expect(throws: CancellationError.self) { try await late.value }
      #expect(clock.now.offset == .seconds(1))
      #expect(clock.pendingSleeps == [])
    }
  }

  @Test
  func `V7: Time doesn't go to the end of a sleep that was cancelled`() async throws {
    try await withVirtualClock(limit: .seconds(60)) { clock in
      // A limit as people write it, whose sleep is cancelled.
      await withTaskGroup { group in
        group.addTask { try? await Task.sleep(for: .seconds(1_000_000)) }
        group.addTask { try? await Task.sleep(for: .seconds(2)) }
        await group.next()
        group.cancelAll()
      }
      await clock.runUntilIdle()
      #expect(clock.now.offset == .seconds(2))
    }
  }

  @Test(.guarantee("G150"))
  func `V7: Outside of a body the sleeps are real`() async throws {
    let clock = VirtualClock()
    let began = ContinuousClock.now
    try await Task.sleep(for: .milliseconds(5))
    try await ContinuousClock().sleep(for: .milliseconds(5))
    #expect(ContinuousClock.now - began >= .milliseconds(10))
    #expect(clock.now.offset == .zero)
    try await withVirtualClock { _ in try await Task.sleep(for: .seconds(1)) }
    let again = ContinuousClock.now
    try await Task.sleep(for: .milliseconds(5))
    #expect(ContinuousClock.now - again >= .milliseconds(5))
  }
}

private actor Sleeper {
  func sleep() async throws { try await Task.sleep(for: .seconds(1)) }
}
