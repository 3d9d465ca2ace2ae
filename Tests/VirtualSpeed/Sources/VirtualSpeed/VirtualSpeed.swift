import Foundation
import Synchronization
import TimerScheduling
import TimerSchedulingTesting

/// Prints the processor time that virtual time takes for a tick of a loop, a run of an action, a sleep and an
/// order of a search, in microseconds.
///
/// It uses only what the test kit had in its fourth edition, so that `compare` can build it with that, too.
@main enum VirtualSpeed {
  static let count = 20_000

  static func main() async {
    await measure("a tick of a loop") { clock, scheduler, done in
      let loop = Task {
        for await _ in scheduler.ticks(every: 1) where done.add() == count { break }
      }
      await clock.waitForConsumers()
      await clock.advance(by: .seconds(count))
      await loop.value
    }
    await measure("a run of an action") { clock, scheduler, done in
      scheduler.schedule(.every(1)) { _ in done.add() }
      await clock.advance(by: .seconds(count))
    }
    await measure("a sleep") { clock, scheduler, done in
      let sleeper = clock.addTask {
        for _ in 0..<count {
          try? await scheduler.sleep(for: .seconds(60))
          done.add()
        }
      }
      await clock.advance(by: .seconds(60 * count))
      _ = await sleeper.result
    }
    await measureOrders("an order of two tasks") { _ in
      let account = Account()
      await withTaskGroup { group in
        for _ in 0..<2 {
          group.addTask {
            await account.add(await account.balance + 1)
            await account.add(1)
          }
        }
      }
    }
    await measureOrders("an order of two timers") { clock in
      let (account, scheduler) = (Account(), TimerScheduler(clock: clock))
      for _ in 0..<2 {
        scheduler.schedule(.every(1).limit(5)) { _ in await account.add(1) }
      }
      try await scheduler.sleep(for: .seconds(6))
    }
  }

  actor Account {
    private(set) var balance = 0
    func add(_ amount: Int) { balance += amount }
  }

  /// The number of ticks, runs or sleeps.
  final class Done: Sendable {
    private let value = Atomic(0)

    @discardableResult
    func add() -> Int { value.add(1, ordering: .relaxed).newValue }

    var count: Int { value.load(ordering: .relaxed) }
  }

  static func measure(
    _ name: String, _ body: @escaping @Sendable (VirtualClock, TimerScheduler, Done) async -> Void
  ) async {
    // In a task of its own, so that each clock has tasks of its own.
    await Task.detached {
      let (clock, done) = (VirtualClock(settlingTimeout: .seconds(60)), Done())
      let scheduler = TimerScheduler(clock: clock)
      await Task.yield()
      let start = processorTime()
      await body(clock, scheduler, done)
      let time = (processorTime() - start) / Double(count) * 1e6
      precondition(done.count == count, "\(name) was missed.")
      print(name, String(format: "%.2f", time), separator: "\t")
    }.value
  }

  static func measureOrders(_ name: String, _ body: @escaping @Sendable (VirtualClock) async throws -> Void)
    async
  {
    let done = Done()
    let start = processorTime()
    do {
      _ = try await exploreOrders(0..<1_000) { clock in
        done.add()
        try await body(clock)
      }
    } catch {
      preconditionFailure("\(name) has failed: \(error)")
    }
    print(name, String(format: "%.0f", (processorTime() - start) / Double(done.count) * 1e6), separator: "\t")
  }

  static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
