import ArgumentParser
import Synchronization
import TimerScheduling
import TimerSchedulingCluster

/// Measures jobs that are put for now: how soon one is run, and how many one replica does in a second.
struct MeasureQueue: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "Measure jobs that are put for now.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: "The number of jobs that are put before the replica starts.")
  var jobs = 10_000

  @Option(help: "The number of jobs that the replica puts one after the other while it is idle.")
  var singles = 500

  @Option(help: "The number of jobs that a cluster of its own connections puts while the replica is idle.")
  var others = 500

  func run() async throws {
    let counts = CountingStore.Counts()
    let cluster = TimerCluster(store: CountingStore(store: try await database.open().store, counts: counts))
    let putBegan = ContinuousClock.now
    for number in 0..<jobs { try await cluster.put(handler: "queue", payload: "\(number)") }
    let putting = (ContinuousClock.now - putBegan) / .seconds(1)

    let (scheduler, done) = (TimerScheduler(), DoneJobs())
    let replica = TimerCluster(
      store: CountingStore(store: try await database.open().store, counts: counts), scheduler: scheduler)
    _ = counts.take()
    let doingBegan = ContinuousClock.now
    replica.handle("queue", limit: 1_000) { run in done.note(run.payload) }
    await done.wait(for: jobs)
    let doing = (ContinuousClock.now - doingBegan) / .seconds(1)
    let requests = Double(counts.take().values.reduce(0, +)) / Double(jobs)

    let own = try await latencies(of: singles, from: replica, done)
    // This cluster has connections of its own, and no handler.
    let foreign = try await latencies(of: others, from: cluster, done)
    let columns =
      [perSecond(putting), perSecond(doing), "\((requests * 1000).rounded() / 1000)"]
      + [own, foreign].flatMap { latencies in
        [0.5, 0.99].map { "\(Int(latencies.milliseconds($0).rounded()))" }
      }
    print(
      """
      | put a second | done a second | requests a job | run after p50, ms | p99, ms | put by another p50, ms | p99, ms |
      |---|---|---|---|---|---|---|
      """)
    print("| \(columns.joined(separator: " | ")) |")
    await scheduler.shutdownAndWait()
  }

  private func perSecond(_ seconds: Double) -> String { "\(Int((Double(jobs) / seconds).rounded()))" }

  /// Returns the times from the calls that put jobs to the beginnings of their runs.
  private func latencies(
    of count: Int, from cluster: TimerCluster, _ done: DoneJobs
  ) async throws -> Load.Result {
    var latencies: [Duration] = []
    for number in 0..<count {
      try await Task.sleep(for: .microseconds(20_000 + number * 7_919 % 20_000))
      let (began, before) = (ContinuousClock.now, done.count)
      try await cluster.put(handler: "queue", payload: "single")
      await done.wait(for: before + 1)
      latencies.append(done.last - began)
    }
    return Load.Result(latencies: latencies.sorted(), seconds: 0)
  }
}

/// The jobs that were run.
private final class DoneJobs: Sendable {
  private struct State {
    var count = 0
    var last = ContinuousClock.now
    var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.count } }
  var last: ContinuousClock.Instant { state.withLock { $0.last } }

  func note(_ payload: String) {
    state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.count += 1
      state.last = .now
      guard let waiting = state.waiting, waiting.count <= state.count else { return nil }
      state.waiting = nil
      return waiting.continuation
    }?.resume()
  }

  func wait(for count: Int) async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if state.count < count { state.waiting = (count, continuation) }
        return state.count >= count
      }
      if isDone { continuation.resume() }
    }
  }
}
