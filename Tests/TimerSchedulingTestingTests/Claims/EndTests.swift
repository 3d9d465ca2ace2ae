import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Tasks that outlive the body, or its limit: rule T9. Each program has a child process, as a fault hangs it
/// or takes a processor.
@Suite(.limited, .guarantee("G209")) struct EndTests {
  // MARK: K14

  @Test func `A sleep that outlives its body goes on in real time, with what is left`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      let began = realTime()
      try await withVirtualClock { _ in
        _ = Singleton.warmup
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(await Singleton.warmup.value == 42)
      #expect(realTime() - began >= .milliseconds(90))
    }
  }

  @Test func `A later body can wait for a task that an earlier one has made`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      try await withVirtualClock { _ in
        _ = Singleton.warmup
        try await Task.sleep(for: .milliseconds(10))
      }
      let value = try await withVirtualClock { _ in await Singleton.warmup.value }
      #expect(value == 42)
    }
  }

  @Test func `A loop that outlives its body goes on, whether or not its sleep ends with the body`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      for step in [50, 70] {
        let beats = Journal<Void>()
        let (loop, count) = try await withVirtualClock { _ in
          let loop = Task {
            while !Task.isCancelled {
              try? await Task.sleep(for: .milliseconds(step))
              beats.note()
            }
          }
          try await Task.sleep(for: .seconds(1))
          return (loop, beats.entries.count)
        }
        await beats.next(count + 3)
        loop.cancel()
        await loop.value
      }
    }
  }

  @Test func `Waits for schedulers and for the clock end with the body`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      let (tasks, timer) = try await withVirtualClock { clock in
        let scheduler = TimerScheduler(clock: clock)
        let timer = scheduler.schedule(every: 3_600) { _ in }
        let tasks: [Task<Void, Never>] = [
          Task { _ = try? await scheduler.sleep(for: 3_600) },
          Task { for await _ in scheduler.ticks(every: 3_600) {} },
          Task { _ = try? await withTimeout(3_600, on: scheduler) { try await scheduler.sleep(for: 7_200) } },
          Task { _ = try? await clock.sleep(for: .seconds(3_600)) },
          Task { _ = await timer.waitUntilFinished() },
        ]
        try await Task.sleep(for: .seconds(1))
        return (tasks, timer)
      }
      for task in tasks { await task.value }
      #expect(timer.state == .finished(.schedulerShutDown))
    }
  }

  @Test func `A wait for consumers or sleepers that begins after the body's end ends at once`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      let clock = try await withVirtualClock { $0 }
      await clock.waitForConsumers()
      await clock.waitForSleepers()
    }
  }

  @Test func `A task that blocks its thread after the body's end holds up no other`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      let gate = DispatchSemaphore(value: 0)
      let blocked = try await withVirtualClock { _ in
        defer { Task { gate.signal() } }
        return Task { block(on: gate) }
      }
      await blocked.value
    }
  }

  @Test func `What is ready goes on if the body ends while a task blocks its thread`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      let (gate, isBlocked) = (DispatchSemaphore(value: 0), Box<Bool>())
      await #expect(throws: VirtualTimeError.self) {
        // Ends at the moment at which another thread would go on.
        try await withVirtualClock(timeout: .milliseconds(200)) { _ in
          let blocked = Task {
            isBlocked.value = true
            block(on: gate)
            isBlocked.value = false
          }
          Task { gate.signal() }
          await blocked.value
          try await Task.sleep(for: .seconds(3_600))
        }
      }
      while isBlocked.value != false { try await Task.sleep(for: .milliseconds(1)) }
    }
  }

  /// Cancels a task when it is released.
  private final class Model: Sendable {
    let task: Task<Void, any Error>
    init(_ task: Task<Void, any Error>) { self.task = task }
    deinit { task.cancel() }
  }

  // Under the lock of the world, the cancellation would wait for the lock.
  @Test func `The result of a task that has ended is released outside the lock`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      try await withVirtualClock { clock in
        let poll = Task { try await Task.sleep(for: .seconds(100)) }
        clock.addTask { Model(poll) }
        clock.addTask {}
        try await Task.sleep(for: .seconds(1))
        #expect(clock.now.offset == .seconds(1))
      }
    }
  }

  // MARK: K17

  @Test(arguments: Leftover.allCases) func `What a body leaves is released`(leftover: Leftover) async {
    await #expect(processExitsWith: .success) { [leftover = leftover as Leftover] in
      endIfHanging()
      let (released, count) = (Journal<Void>(), 20)
      for _ in 0..<count {
        try await withVirtualClock { clock in
          leftover.leave(on: clock, ReleaseProbe(released.note))
          try await Task.sleep(for: .milliseconds(1))
        }
      }
      await released.next(count)
    }
  }

  // A task that sleeps on the clock itself holds it, so the clock isn't dropped.
  @Test(arguments: Leftover.allCases.filter { $0 != .sleepOfClock && $0 != .addedTask })
  func `What a bare clock leaves is released when it is dropped`(leftover: Leftover) async {
    await #expect(processExitsWith: .success) { [leftover = leftover as Leftover] in
      endIfHanging()
      let (released, count) = (Journal<Void>(), 20)
      for _ in 0..<count {
        let clock = VirtualClock()
        leftover.leave(on: clock, ReleaseProbe(released.note))
        await clock.advance(by: 0.001)
      }
      await released.next(count)
    }
  }

  @Test func `What an order leaves is released`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      let (released, orders) = (Journal<Void>(), Counter())
      try await exploreOrders(0..<50) { clock in
        orders.add()
        for leftover in [Leftover.sleep, .loop, .sleepOfAction] {
          leftover.leave(on: clock, ReleaseProbe(released.note))
        }
        try await Task.sleep(for: .milliseconds(1))
      }
      await released.next(3 * orders.value)
    }
  }

  @Test func `A process whose bodies have ended is idle, whatever they have left`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      for leftover in Leftover.allCases {
        try await withVirtualClock { clock in
          leftover.leave(on: clock, ReleaseProbe())
          _ = Task { try? await Task.sleep(for: .seconds(3_600)) }
          try await Task.sleep(for: .milliseconds(1))
        }
      }
      // By then what sleeps for tens of milliseconds has ended.
      usleep(200_000)
      let before = switchCount()
      usleep(1_000_000)
      // A watch looks fifty times a second.
      #expect(switchCount() - before < 25)
    }
  }

  // MARK: K18

  @Test(arguments: [false, true])
  func `A body that its limit or its timeout has ended takes no processor`(isHeld: Bool) async {
    await #expect(processExitsWith: .success) { [isHeld] in
      endIfHanging()
      let (rounds, timeout) = (Counter(), isHeld ? Duration.milliseconds(200) : .seconds(60))
      let error = try #require(
        await #expect(throws: VirtualTimeError.self) {
          try await withVirtualClock(limit: .seconds(10), timeout: timeout) { clock in
            if isHeld { clock.addTask { await holdForEver(clock) } }
            while true {
              try? await Task.sleep(for: .seconds(1))
              rounds.add()
            }
          }
        })
      #expect(error.description.contains(isHeld ? "of real time" : "of virtual time"))
      usleep(200_000)
      #expect(rounds.value < 1_000)
    }
  }
}

private enum Singleton {
  /// As a singleton of a program, which the first test that needs it makes.
  static let warmup = Task { () -> Int in
    try? await Task.sleep(for: .milliseconds(100))
    return 42
  }
}

/// The number of times that the process's threads have gone to sleep.
private func switchCount() -> Int {
  var usage = rusage()
  unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
  return usage.ru_nvcsw
}

private func block(on gate: DispatchSemaphore) { gate.wait() }

/// Keeps time from moving.
private func holdForEver(_ clock: VirtualClock) async { await clock.holdTime { await Latch().wait() } }
