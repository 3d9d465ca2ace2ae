import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// The cost of virtual time: rule T10. A test that counts memory or processor time has a process of its own.
@Suite(.limited, .guarantee("G210")) struct VirtualCostTests {
  // MARK: K16

  @Test(
    .disabled(if: ProcessFacts.isUnderSanitizer, "The sanitizer keeps what was freed."),
    arguments: ["task", "group", "child", "limit"])
  func `A body keeps nothing of a task that has ended`(kind: String) async {
    await #expect(processExitsWith: .success) { [kind] in
      let (few, many) = (1_000, 7_000)
      try await withVirtualClock { clock in
        let (scheduler, count) = (TimerScheduler(clock: clock), Counter())
        scheduler.schedule(every: 1) { _ in
          switch kind {
          case "task": Task { count.add() }
          case "group": await withTaskGroup { $0.addTask { count.add() } }
          case "child":
            async let child: Void = count.add()
            await child
          default: try await withTimeout(1, on: scheduler) { count.add() }
          }
        }
        try await Task.sleep(for: .seconds(few))
        let before = ProcessFacts.residentBytes
        try await Task.sleep(for: .seconds(many - few))
        #expect(count.value == many)
        #expect((ProcessFacts.residentBytes - before) / (many - few) < 100)
      }
    }
  }

  // MARK: K20

  @Test func `A move in a body needs no time if all jobs are put on the main actor`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      enqueueAllOnMainActor()
      try await withVirtualClock(timeout: .seconds(10_000)) { clock in
        let (scheduler, ticks) = (TimerScheduler(clock: clock), Counter())
        let loop = Task { for await _ in scheduler.ticks(every: 1) { ticks.add() } }
        await clock.advance(by: 5)
        #expect(clock.now.offset == .seconds(5))
        #expect(ticks.value == 5)
        loop.cancel()
      }
    }
  }

  // MARK: K26

  @Test func `The cost of an order grows with the number of its jobs, and not with the square`() async {
    await #expect(processExitsWith: .success) {
      func cost(_ count: Int) async throws -> Duration {
        let began = processTime()
        try await exploreOrders(0..<1) { _ in
          await withTaskGroup { group in
            for _ in 0..<count { group.addTask { for _ in 0..<3 { await Task.yield() } } }
          }
        }
        return processTime() - began
      }
      _ = try await cost(100)
      let (few, many) = (try await cost(200), try await cost(1_000))
      #expect(many < few * 12)
    }
  }

  /// The tasks are made by a thread outside, while the world works. The body makes its first move on that
  /// thread, so the world reads by two calls what it does.
  @Test func `Loops that wait for a stream cost a move no call of the system`() async {
    await #expect(processExitsWith: .success) {
      func systemReads() throws -> Int {
        let lines = try String(contentsOfFile: "/proc/self/io", encoding: .utf8).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("syscr") })
        return try #require(Int(line.split(separator: " ")[1]))
      }
      let clock = VirtualClock()
      let (scheduler, ticks, end) = (TimerScheduler(clock: clock), Counter(), AsyncStream<Void>.makeStream())
      for _ in 0..<1_000 { clock.addTask { for await _ in end.stream {} } }
      scheduler.schedule(every: 1) { _ in ticks.add() }
      await clock.advance(by: 1)
      let before = try systemReads()
      await clock.advance(by: 1_000)
      #expect(ticks.value == 1_001)
      #expect(try systemReads() - before < 2_500)
      end.continuation.finish()
    }
  }

  // MARK: K12

  @Test func `A year with a job each day costs a few acts of its replica a day`() async throws {
    let (runs, days) = (Counter(), 365)
    try await withVirtualClock(limit: .seconds(days * 86_400 + 3_600)) { clock in
      let cluster = TimerCluster(store: MemoryTimerStore(), scheduler: TimerScheduler(clock: clock))
      cluster.schedule(.every(86_400, starting: .aligned), name: "digest") { _ in runs.add() }
      cluster.handle("mail") { _ in }
      try await Task.sleep(for: .seconds(days * 86_400 + 60))
      // Looks, renewals, and the timers of both.
      #expect(await cluster.companion.statistics.tickCount < days * 8)
    }
    #expect(runs.value == days)
  }
}

/// Does what `withMainSerialExecutor` of swift-concurrency-extras does.
private func enqueueAllOnMainActor() {
  typealias Original = @convention(thin) (UnownedJob) -> Void
  typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
  guard let symbol = unsafe dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else { return }
  unsafe symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in MainActor.shared.enqueue(job) }
}
