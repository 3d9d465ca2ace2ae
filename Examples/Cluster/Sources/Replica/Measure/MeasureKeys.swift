import ArgumentParser
import Foundation
import Synchronization
import TimerScheduling
import TimerSchedulingCluster

/// Measures claims of a handler of whose jobs most have one key, with a limit of each key and without.
struct MeasureKeys: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Measure claims beside a backlog of one key.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: "The number of jobs with the one key. A hundred others have one job each.")
  var jobs = 100_000

  @Option(help: "The seconds to measure.")
  var seconds = 15.0

  func run() async throws {
    let cluster = TimerCluster(store: try await database.open().store)
    print(
      """
      | limit of a key | claims | p50, ms | p99, ms | rows a claim | jobs a second | other keys done after, ms |
      |---|---|---|---|---|---|---|
      """)
    for limit in [nil, 50] as [Int?] {
      let handler = limit.map { "keys \($0)" } ?? "keys"
      for first in stride(from: 0, to: jobs, by: 1_000) {
        try await cluster.put(
          (first..<min(first + 1_000, jobs)).map { _ in NewJob(handler: handler, key: "big", payload: "big") }
        )
      }
      try await cluster.put(
        (0..<100).map { NewJob(handler: handler, key: "small \($0)", payload: "small") })
      try await measure(handler, limit)
    }
  }

  private func measure(_ handler: String, _ limit: Int?) async throws {
    let store = TimedClaims(store: try await database.open().store)
    let (scheduler, began) = (TimerScheduler(), ContinuousClock.now)
    let done = Mutex((count: 0, others: 0, last: began))
    let replica = TimerCluster(store: store, scheduler: scheduler)
    replica.handle(handler, limit: 1_000, limitPerKey: limit) { run in
      done.withLock { done in
        done.count += 1
        if run.payload == "small" { (done.others, done.last) = (done.others + 1, .now) }
      }
    }
    try await scheduler.sleep(for: seconds)
    let (counted, claims) = (done.withLock(\.self), store.claims.withLock(\.self))
    await scheduler.shutdownAndWait()
    let result = Load.Result(latencies: claims.map(\.took).sorted(), seconds: seconds)
    let rows = claims.reduce(0) { $0 + $1.rows }
    let others = counted.others == 100 ? "\(Int((counted.last - began) / .milliseconds(1)))" : "-"
    let columns =
      [limit.map { "\($0)" } ?? "none", "\(claims.count)"]
      + [0.5, 0.99].map { "\((result.milliseconds($0) * 10).rounded() / 10)" }
      + ["\(rows / max(1, claims.count))", "\(Int(Double(counted.count) / seconds))", others]
    print("| \(columns.joined(separator: " | ")) |")
  }
}

/// Passes requests on to a store, and notes what claims took and how many rows they brought.
private final class TimedClaims: TimerStore {
  let store: any TimerStore
  let claims = Mutex<[(took: Duration, rows: Int)]>([])

  init(store: any TimerStore) { self.store = store }

  func perform(_ request: StoreRequest) async throws -> StoreAnswer {
    let began = ContinuousClock.now
    let answer = try await store.perform(request)
    let took = ContinuousClock.now - began
    if request.name == "claim" {
      let rows = try answer.json.components(separatedBy: "\"token\"").count - 1
      claims.withLock { $0.append((took, rows)) }
    }
    return answer
  }

  func watch(_ changed: @escaping @Sendable () -> Void) async throws { try await store.watch(changed) }
}
