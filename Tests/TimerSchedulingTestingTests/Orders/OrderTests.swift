import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Programs whose faults show in some orders only, and their mended forms.
@Suite(.limited, .guarantee("G148")) struct OrderTests {
  private typealias Body = @isolated(any) @Sendable (VirtualClock) async throws -> Void

  /// The body fails in one of a thousand orders, and again in that order alone.
  private func findsFault(_ body: @escaping Body) async throws {
    let failure = try #require(
      await #expect(throws: OrderFailure.self) { try await exploreOrders(0..<1_000, body) })
    #expect(failure.error is ExpectationFailed)
    #expect(failure.seed == 0)
    for _ in 0..<3 {
      let again = try #require(
        await #expect(throws: OrderFailure.self) {
          try await exploreOrders(failure.order..<failure.order + 1, body)
        })
      #expect(again.order == failure.order)
      #expect(again.error is ExpectationFailed)
    }
    let text = "exploreOrders(\(failure.order)..<\(failure.order + 1), seed: 0)"
    #expect(failure.description.contains(text))
  }

  @Test(arguments: [false, true]) func `An account is overdrawn`(isMended: Bool) async throws {
    let body: Body = { _ in
      let account = Account(balance: 100, isMended: isMended)
      async let first: Void = account.withdraw(80)
      async let second: Void = account.withdraw(80)
      _ = await (first, second)
      try expect(await account.balance >= 0)
    }
    if isMended { try await exploreOrders(0..<1_000, body) } else { try await findsFault(body) }
  }

  @Test(arguments: [false, true]) func `A cache is filled twice`(isMended: Bool) async throws {
    let body: Body = { clock in
      let loads = Counter()
      let cache = Cache(isMended: isMended) {
        loads.add()
        try? await clock.sleep(for: .seconds(1))
        return 42
      }
      let values = await withTaskGroup(of: Int.self) { group in
        for number in 0..<2 {
          group.addTask {
            // The second asks as the first load ends, at the same moment.
            try? await Task.sleep(for: .seconds(number))
            return await cache.value
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      try expect(values == [42, 42])
      try expect(loads.value == 1)
    }
    if isMended { try await exploreOrders(0..<1_000, body) } else { try await findsFault(body) }
  }

  @Test(arguments: [false, true]) func `A timer fires as it is cancelled`(isMended: Bool) async throws {
    let body: Body = { clock in
      let scheduler = TimerScheduler(clock: clock)
      let (sent, isCancelled) = (Journal<Void>(), Box<Bool>())
      let timer = scheduler.schedule(.after(5)) { _ in
        if isMended, isCancelled.value == true { return }
        await Task.yield()
        try expect(isCancelled.value != true || isMended)
        sent.note()
      }
      let user = Task {
        try? await clock.sleep(for: .seconds(5))
        isCancelled.value = true
        if isMended { await timer.cancelAndWait() } else { timer.cancel() }
        return sent.entries.count
      }
      let countAtCancel = await user.value
      try await clock.sleep(for: .seconds(5))
      // A message that was sent after the cancel.
      try expect(sent.entries.count == countAtCancel)
      if let error = timer.failure { throw error }
    }
    if isMended { try await exploreOrders(0..<1_000, body) } else { try await findsFault(body) }
  }

  /// Two replicas that look by themselves if a job was done, against a cluster.
  @Test(arguments: [false, true]) func `Two replicas run a job twice`(isMended: Bool) async throws {
    let body: Body = { clock in
      let (runs, done) = (Journal<Date>(), Done())
      let store = MemoryTimerStore()
      for replica in ["a", "b"] {
        let scheduler = TimerScheduler(clock: clock)
        if isMended {
          let cluster = TimerCluster(store: store, scheduler: scheduler, replica: replica)
          cluster.schedule(.every(60, starting: .aligned), name: "bill") { run in
            runs.note(run.scheduledDate)
          }
        } else {
          scheduler.schedule(.every(60, starting: .aligned)) { tick in
            if await done.contains(tick.scheduledDate) { return }
            runs.note(tick.scheduledDate)
            await Task.yield()
            await done.add(tick.scheduledDate)
          }
        }
      }
      try await clock.sleep(for: .seconds(150))
      try expect(runs.entries.count == 2)
    }
    if isMended {
      try await exploreOrders(0..<200, body)
    } else {
      try await findsFault(body)
    }
  }
}

private actor Account {
  private(set) var balance: Int
  private let isMended: Bool

  init(balance: Int, isMended: Bool) {
    self.balance = balance
    self.isMended = isMended
  }

  func withdraw(_ amount: Int) async {
    guard balance >= amount else { return }
    await audit()
    if isMended, balance < amount { return }
    balance -= amount
  }

  private nonisolated func audit() async { await Task.yield() }
}

private actor Cache {
  private let isMended: Bool
  private let load: @Sendable () async -> Int
  private var cached: Int?
  private var loading: Task<Int, Never>?

  init(isMended: Bool, _ load: @escaping @Sendable () async -> Int) {
    self.isMended = isMended
    self.load = load
  }

  var value: Int {
    get async {
      if let cached { return cached }
      if let loading, isMended { return await loading.value }
      let loading = Task { await load() }
      self.loading = loading
      let value = await loading.value
      cached = value
      return value
    }
  }
}

private actor Done {
  private var dates: Set<Date> = []

  func contains(_ date: Date) -> Bool { dates.contains(date) }
  func add(_ date: Date) { dates.insert(date) }
}
