import ServerApp
import Synchronization
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite struct SessionStoreTests {
  private let clock = VirtualClock()

  private func makeStore(limit: Int = 1_000_000) -> (SessionStore, TimerScheduler) {
    let scheduler = TimerScheduler(clock: clock)
    return (SessionStore(on: scheduler, timeout: .seconds(60), limit: limit), scheduler)
  }

  // A timeout of 60 seconds has a tolerance of 3.
  @Test func `A session expires when it was idle for the timeout`() async throws {
    let (store, _) = makeStore()
    _ = try #require(store.create(user: "ada"))
    await clock.advance(by: .seconds(60) - .nanoseconds(1))
    #expect(store.count == 1)
    await clock.advance(by: .seconds(3) + .nanoseconds(1))
    #expect(store.count == 0)
    #expect(store.counts == SessionCounts(created: 1, expired: 1, deleted: 0))
  }

  // seconds    0        40        80        120  140 143
  // requests            x         x
  // timeout    |---------------------60--|
  //                     |---------------------60--|
  //                               |----------------60-|
  @Test func `A request restarts the timeout`() async throws {
    let (store, scheduler) = makeStore()
    let session = try #require(store.create(user: "ada"))
    let id = try #require(SessionID(session.id))
    for requests in 1...2 {
      await clock.advance(by: .seconds(40))
      #expect(store.touch(id) == Session(id: session.id, user: "ada", requests: requests))
    }
    await clock.advance(by: .seconds(60) - .nanoseconds(1))
    #expect(store.count == 1)
    #expect(await scheduler.statistics.tickCount == 0)
    await clock.advance(by: .seconds(3) + .nanoseconds(1))
    #expect(store.count == 0)
    #expect(store.touch(id) == nil)
    #expect(await scheduler.statistics.activeCount == 0)
  }

  @Test func `A deleted session's timer ends with it`() async throws {
    let (store, scheduler) = makeStore()
    let session = try #require(store.create(user: "ada"))
    let id = try #require(SessionID(session.id))
    #expect(store.delete(id))
    #expect(!store.delete(id))
    await clock.advance(by: .seconds(120))
    #expect(await scheduler.statistics.activeCount == 0)
    #expect(store.counts == SessionCounts(created: 1, expired: 0, deleted: 1))
  }

  @Test func `A request between the tick and the expiry keeps the session`() async throws {
    let touched = Mutex<(store: SessionStore, id: SessionID)?>(nil)
    var configuration = TimerScheduler.Configuration()
    configuration.interceptor = { tick, body in
      // The timer has ticked, and its action is about to run.
      touched.withLock { touched in
        _ = touched?.store.touch(touched!.id)
        touched = nil
      }
      try await body()
    }
    let scheduler = TimerScheduler(clock: clock, configuration: configuration)
    let store = SessionStore(on: scheduler, timeout: .seconds(60), limit: 1)
    let session = try #require(store.create(user: "ada"))
    let id = try #require(SessionID(session.id))
    touched.withLock { $0 = (store, id) }
    await clock.advance(by: .seconds(63))
    #expect(await scheduler.statistics.tickCount == 1)
    #expect(store.count == 1)
    await clock.advance(by: .seconds(63))
    #expect(store.count == 0)
    #expect(store.counts.expired == 1)
  }

  @Test func `There are no more sessions than the limit, and an expired one makes room`() async throws {
    let (store, _) = makeStore(limit: 2)
    #expect(store.create(user: "a") != nil)
    #expect(store.create(user: "b") != nil)
    #expect(store.create(user: "c") == nil)
    await clock.advance(by: .seconds(63))
    #expect(store.create(user: "d") != nil)
  }

  @Test func `Without a timeout there are no timers`() async throws {
    let scheduler = TimerScheduler(clock: clock)
    let store = SessionStore(on: scheduler, timeout: nil, limit: 10)
    let session = try #require(store.create(user: "ada"))
    await clock.advance(by: .seconds(1_000_000))
    #expect(await scheduler.statistics.activeCount == 0)
    #expect(store.touch(try #require(SessionID(session.id))) != nil)
  }

  @Test func `Timeouts share wakeups`() async {
    let (store, scheduler) = makeStore()
    for _ in 0..<2_000 {
      #expect(store.create(user: "ada") != nil)
      await clock.advance(by: .milliseconds(1))
    }
    #expect(await scheduler.statistics.wakeupCount == 0)
    await clock.advance(by: .seconds(63))
    #expect(store.counts.expired == 2_000)
    #expect(await scheduler.statistics.wakeupCount == 1)
  }
}
