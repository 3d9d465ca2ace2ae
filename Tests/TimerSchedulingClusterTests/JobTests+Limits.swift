import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Limits of a handler for all replicas, and of each key.
extension JobTests {
  /// Counts the runs under way, in all and by key.
  private final class RunCount: Sendable {
    let state = Mutex((now: [String: Int](), most: 0, mostOfKey: 0, done: [String]()))

    func begin(_ key: String) {
      state.withLock { state in
        state.now[key, default: 0] += 1
        state.most = max(state.most, state.now.values.reduce(0, +))
        state.mostOfKey = max(state.mostOfKey, state.now[key, default: 0])
      }
    }

    func end(_ key: String, isDone: Bool) {
      state.withLock { state in
        state.now[key, default: 0] -= 1
        if isDone { state.done.append(key) }
      }
    }
  }

  private func handle(on replica: TestReplica, _ count: RunCount, inAll: Int?, perKey: Int?) {
    replica.cluster.handle("export", limit: 50, limitInAll: inAll, limitPerKey: perKey) { [clock] run in
      let key = run.key ?? "-"
      count.begin(key)
      do {
        try await clock.sleep(for: .milliseconds(200 + 100 * Int(run.token % 7)))
        count.end(key, isDone: true)
      } catch {
        count.end(key, isDone: false)
        throw error
      }
    }
  }

  @Test(arguments: [(4, nil), (nil, 2), (5, 2), (1, 1)] as [(Int?, Int?)])
  func `No limit is exceeded on any number of replicas, though some die`(inAll: Int?, perKey: Int?)
    async throws
  {
    let count = RunCount()
    let replicas = ["a", "b", "c"].map { makeReplica($0) }
    for replica in replicas { handle(on: replica, count, inAll: inAll, perKey: perKey) }
    try await replicas[0].cluster.put(
      (0..<90).map { NewJob(handler: "export", key: "tenant \($0 % 5)", payload: "\($0)") })
    await clock.advance(by: 3)
    replicas[1].die()
    // Its runs end with their clock, though not for the store.
    await clock.advance(by: 10)
    #expect(count.state.withLock(\.most) <= inAll ?? .max)
    #expect(count.state.withLock(\.mostOfKey) <= perKey ?? .max)
    handle(on: makeReplica("d"), count, inAll: inAll, perKey: perKey)
    await clock.advance(by: 200)
    #expect(count.state.withLock(\.most) <= inAll ?? .max)
    #expect(count.state.withLock(\.mostOfKey) <= perKey ?? .max)
    // Each limit was reached.
    #expect(count.state.withLock(\.most) == inAll ?? count.state.withLock(\.most))
    #expect(try await store.jobs().isEmpty)
    #expect(Set(count.state.withLock(\.done)).count == 5)
  }

  @Test func `A key's backlog starves no other key, and a slot is taken as soon as it is free`() async throws
  {
    let count = RunCount()
    let replicas = ["a", "b"].map { makeReplica($0) }
    for replica in replicas { handle(on: replica, count, inAll: 1, perKey: nil) }
    try await replicas[0].cluster.put(
      (0..<500).map { NewJob(name: "many \($0)", handler: "export", key: "many") })
    await clock.advance(by: 5)
    for key in ["b", "c", "d"] { try await replicas[0].cluster.put(handler: "export", key: key) }
    let before = count.state.withLock(\.done.count)
    await clock.advance(by: 5)
    let done = count.state.withLock { Array($0.done[before...]) }
    #expect(Set(done.prefix(6)).isSuperset(of: ["b", "c", "d"]))
    // A run takes half a second, and the next one begins at once.
    #expect(count.state.withLock(\.done.count) >= 18)
    await clock.advance(by: 300)
    #expect(try await store.jobs().isEmpty)
  }

  @Test func `Jobs without a key have no limit of a key`() async throws {
    let count = RunCount()
    let replica = makeReplica("a")
    handle(on: replica, count, inAll: nil, perKey: 1)
    try await replica.cluster.put((0..<20).map { _ in NewJob(handler: "export") })
    await clock.advance(by: 0.1)
    #expect(count.state.withLock(\.most) == 20)
    await clock.advance(by: 10)
  }

  @Test func `Keys with the fewest runs come first, and of these in a circle those after the last one`() {
    func row(_ name: String, _ key: String) -> JobRow {
      var row = JobRow(name: name, schedule: "at", now: StoreTime(microseconds: 0))
      (row.job.handler, row.job.key) = ("h", key.isEmpty ? nil : key)
      return row
    }
    let rows = [row("1", "a"), row("2", "a"), row("3", "b"), row("4", "c"), row("5", ""), row("6", "d")]
    var claim = ClaimRequest(
      session: UUID(), number: 1, isRepeated: false, limit: 10, lease: 1, except: [],
      limits: ["h": HandlerLimits(inAll: 8, perKey: 2)])
    let turn = HandlerTurn(running: ["b": 1, "d": 2], last: "b")
    #expect(claim.first(of: rows, ["h": turn]).map(\.job.name) == ["1", "2", "3", "4", "5"])
    for (room, names) in [["4"], ["4", "5"], ["1", "4", "5"]].enumerated() {
      claim.rooms = ["h": room + 1]
      #expect(claim.first(of: rows, ["h": turn]).map(\.job.name) == names)
    }
    claim.rooms = [:]
    claim.limits = ["h": HandlerLimits(inAll: 3)]
    #expect(claim.first(of: rows, ["h": turn]).isEmpty)
  }
}
