import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The promises that the kit keeps without private parts of Swift's runtime, in processes that switch these
/// off.
@Suite(.limited, .guarantee("G213")) struct WithoutPartsTests {
  /// Each part alone, all of them, and all that Apple's platforms lack.
  private static let settings = [
    ["CLOCK"], ["BIRTHS"], ["WAITS"], ["CLOCK", "BIRTHS", "WAITS"], ["CLOCK", "BIRTHS", "WAITS", "PROXIES"],
  ]

  // MARK: What is lost

  @Test(arguments: ["NOTHING", "CLOCK", "BIRTHS", "WAITS"])
  func `A variable switches its part off, and no other`(part: String) async {
    await #expect(processExitsWith: .success) { [part] in
      begin(without: [part])
      let (hasClock, hasBirths) = try await withVirtualClock { clock in
        let hasClock = Date() == clock.date
        // A task that isn't seen sleeps in real time.
        await Birth.onQueue.run(on: clock) { try? await Task.sleep(for: .milliseconds(50)) }
        return (hasClock, clock.now.offset > .zero)
      }
      let error = try #require(
        await #expect(throws: VirtualTimeError.self) {
          try await withVirtualClock(timeout: .milliseconds(200)) { _ in
            await Task(name: "stuck") { await waitForEver() }.value
          }
        })
      #expect(hasClock == (part != "CLOCK"))
      #expect(hasBirths == (part != "BIRTHS"))
      #expect(error.description.contains("which waits for something") == (part != "WAITS"))
    }
  }

  // MARK: What is left

  @Test(arguments: settings)
  func `A view model whose timer makes tasks has all of their results`(parts: [String]) async {
    await #expect(processExitsWith: .success) { [parts] in
      begin(without: parts)
      for _ in 0..<rounds(1_000) {
        let clock = VirtualClock(settlingTimeout: .seconds(60))
        let (scheduler, model) = (TimerScheduler(clock: clock), Model())
        scheduler.schedule(.every(1).limit(5)) { @MainActor _ in model.tick() }
        await clock.advance(by: .seconds(10))
        let count = await model.count
        #expect(count == 5)
      }
    }
  }

  @Test(arguments: settings)
  func `Loops, streams that the test feeds and added tasks are settled`(parts: [String]) async {
    await #expect(processExitsWith: .success) { [parts] in
      begin(without: parts)
      let clock = VirtualClock(settlingTimeout: .seconds(60))
      let scheduler = TimerScheduler(clock: clock)
      let (log, fed, naps) = (Journal<Duration>(), Counter(), Counter())
      let (numbers, feed) = AsyncStream.makeStream(of: Int.self)
      let loop = Task { for await _ in scheduler.ticks(every: 1) { log.note(clock.now.offset) } }
      let consumer = Task { for await _ in numbers { fed.add() } }
      clock.addTask {
        for _ in 0..<10 {
          try? await clock.sleep(for: .seconds(2))
          naps.add()
        }
      }
      for number in 1...100 {
        feed.yield(number)
        await clock.advance(by: .seconds(1))
        #expect(fed.value == number)
        #expect(naps.value == min(number / 2, 10))
      }
      #expect(log.entries == (1...100).map { .seconds($0) })
      #expect(clock.settlingTimeoutCount == 0)
      loop.cancel()
      consumer.cancel()
    }
  }

  @Test(arguments: settings)
  func `Time moves by itself, to each deadline of timers and of the clock`(parts: [String]) async {
    await #expect(processExitsWith: .success) { [parts] in
      begin(without: parts)
      for _ in 0..<rounds(200) {
        try await withVirtualClock { clock in
          let (scheduler, model, offsets) = (TimerScheduler(clock: clock), Model(), Journal<Duration>())
          scheduler.schedule(every: 60) { @MainActor _ in model.tick() }
          let loop = Task { for await _ in scheduler.ticks(every: 900) { offsets.note(clock.now.offset) } }
          async let child: Void = clock.sleep(for: .seconds(1_000))
          try await clock.sleep(for: .seconds(3_600))
          try await child
          #expect(clock.now.offset == .seconds(3_600))
          let count = await model.count
          #expect(count == 60)
          #expect(offsets.entries == (1...4).map { .seconds($0 * 900) })
          loop.cancel()
        }
      }
    }
  }

  @Test(arguments: settings)
  func `Sleeps of the clock, and of Swift's clocks, are virtual in the tasks that are seen`(parts: [String])
    async
  {
    await #expect(processExitsWith: .success) { [parts] in
      begin(without: parts)
      for birth in Birth.allCases where isSeen(birth, without: parts) {
        try await withVirtualClock(timeout: .seconds(120)) { clock in
          await birth.run(on: clock) {
            try? await clock.sleep(for: .seconds(1_000))
            #expect(clock.now.offset == .seconds(1_000))
            if parts.contains("PROXIES") { return }
            try? await Task.sleep(for: .seconds(1_000))
            // Without the clock, a sleep is shorter by the real time until it begins.
            let least: Duration = parts.contains("CLOCK") ? .seconds(1_900) : .seconds(2_000)
            #expect(least ... .seconds(2_000) ~= clock.now.offset, "\(birth)")
          }
        }
      }
    }
  }

  @Test(arguments: settings)
  func `A task from outside sees and sleeps real time`(parts: [String]) async {
    await #expect(processExitsWith: .success) { [parts] in
      begin(without: parts)
      let stranger = Task.detached {
        let (began, start) = (DispatchTime.now(), ContinuousClock.now)
        for _ in 0..<10 { try? await Task.sleep(for: .milliseconds(5)) }
        let slept = DispatchTime.now().uptimeNanoseconds - began.uptimeNanoseconds
        return (slept, start.duration(to: .now), Date())
      }
      let date = try await withVirtualClock { clock in
        for _ in 0..<100 { try await clock.sleep(for: .seconds(1_000)) }
        return clock.date
      }
      let (slept, seen, seenDate) = await stranger.value
      #expect(slept >= 50_000_000)
      #expect(seen >= .milliseconds(50) && seen < .seconds(1_000))
      #expect(seenDate > date + 86_400)
    }
  }

  @Test(arguments: settings)
  func `A body that can't go on, or goes on for too long, ends with an error`(parts: [String]) async {
    await #expect(processExitsWith: .success) { [parts] in
      begin(without: parts)
      await #expect(throws: VirtualTimeError.self) {
        try await withVirtualClock(timeout: .milliseconds(200)) { _ in await waitForEver() }
      }
      let ticks = Counter()
      await #expect(throws: VirtualTimeError.self) {
        try await withVirtualClock(limit: .seconds(100)) { clock in
          TimerScheduler(clock: clock).schedule(every: 1) { _ in ticks.add() }
          try await clock.sleep(for: .seconds(1_000))
        }
      }
      #expect(99...100 ~= ticks.value)
    }
  }

  @Test(arguments: settings)
  func `Time stands still while it is held, and a scheduler ends with the body`(parts: [String]) async {
    await #expect(processExitsWith: .success) { [parts] in
      begin(without: parts)
      let ticks = Counter()
      let timer = try await withVirtualClock { clock in
        let timer = TimerScheduler(clock: clock).schedule(every: 1) { _ in ticks.add() }
        await clock.holdTime {
          await withCheckedContinuation { done in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(150)) { done.resume() }
          }
        }
        #expect(clock.now.offset == .zero)
        try await clock.sleep(for: .seconds(10))
        #expect(ticks.value == 10)
        return timer
      }
      #expect(timer.state.isFinished)
    }
  }

  @Test(arguments: settings)
  func `A search finds the order in which an account is overdrawn`(parts: [String]) async {
    await #expect(processExitsWith: .success) { [parts] in
      begin(without: parts)
      let overdraw: @isolated(any) @Sendable (VirtualClock) async throws -> Void = { _ in
        let account = Account()
        async let first: Void = account.withdraw(80)
        async let second: Void = account.withdraw(80)
        _ = await (first, second)
        if await account.balance < 0 { throw Overdrawn() }
      }
      let found = await #expect(throws: OrderFailure.self) { try await exploreOrders(0..<1_000, overdraw) }
      let failure = try #require(found)
      #expect(failure.error is Overdrawn)
      let again = await #expect(throws: OrderFailure.self) {
        try await exploreOrders(failure.order..<failure.order + 1, overdraw)
      }
      #expect(again?.order == failure.order)
    }
  }
}

/// Begins a process that lacks parts. The first clock looks for the variables.
private func begin(without parts: [String]) {
  endIfHanging()
  for part in parts { unsafe setenv("TIMER_SCHEDULING_WITHOUT_\(part)", "1", 1) }
}

/// Whether time surely moves while a body waits for a task of this kind, which sleeps.
private func isSeen(_ birth: Birth, without parts: [String]) -> Bool {
  let (seesBirths, seesWaits) = (!parts.contains("BIRTHS"), !parts.contains("WAITS"))
  return switch birth {
  case .onQueue, .onOtherExecutor: seesBirths && seesWaits
  case .withinOtherExecutor: seesWaits
  case .addedTask, .onActor, .onMainActor, .task, .detached, .immediate, .child, .childOfGroup,
    .childOfDiscardingGroup, .childOfChild, .action,
    .taskOfAction, .detachedTaskOfAction:
    true
  }
}

private func waitForEver() async {
  await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
}

private struct Overdrawn: Error {}

private actor Account {
  private(set) var balance = 100

  func withdraw(_ amount: Int) async {
    guard balance >= amount else { return }
    await Task {}.value
    balance -= amount
  }
}

@MainActor private final class Model {
  private(set) var count = 0

  func tick() {
    Task { count += 1 }
  }
}
