import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Arguments of a cluster at the ends of their ranges, and beyond.
@Suite(.limited) struct ClusterMisuseTests {
  @Test(arguments: ClusterMisuse.allCases)
  func `An argument that makes no sense stops the process with a sentence`(misuse: ClusterMisuse) async throws
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
      try await misuse.commit()
    }
    // Release builds stop too, but the compiler leaves the sentence out.
    #if DEBUG
    let output = try #require(result).standardErrorContent
    #expect(String(decoding: output, as: UTF8.self).contains(misuse.sentence))
    #endif
  }

  @Test(arguments: [Duration.seconds(86_400), .seconds(Int64.max), .seconds(Int64.max) * 18])
  func `The longest lease and time to catch up are as good as any`(longest: Duration) async throws {
    let (clock, runs) = (VirtualClock(settlingTimeout: .seconds(60)), Journal<Date>())
    let store = MemoryTimerStore()
    let scheduler = TimerScheduler(clock: clock)
    let minutes = TimerSchedule.every(.seconds(60), starting: .aligned).missedTicks(.burst)
    let cluster = TimerCluster(store: store, scheduler: scheduler, lease: longest, replica: "one")
    cluster.schedule(minutes, name: "bill", catchUp: longest) { runs.note($0.scheduledDate) }
    let start = clock.date
    await clock.advance(by: .seconds(120))
    #expect(runs.entries == [start + 60, start + 120])
    await scheduler.shutdownAndWait()
  }

  @Test(
    arguments: [
      (.infinity, 1_000_000_000_000_000_000), (-.infinity, -1_000_000_000_000_000_000),
      (1e300, 1_000_000_000_000_000_000), (1, 1_000_000),
    ] as [(Double, Int64)])
  func `A date beyond the range becomes its first moment or its last, so that nothing overflows`(
    seconds: Double, microseconds: Int64
  ) throws {
    let time = StoreTime(Date(timeIntervalSince1970: seconds))
    #expect(time.microseconds == microseconds)
    let read = try JSONDecoder().decode([StoreTime].self, from: Data("[\(Int64.max), \(Int64.min)]".utf8))
    #expect(read == [Double.infinity, -.infinity].map { StoreTime(Date(timeIntervalSince1970: $0)) })
    #expect(time + .seconds(Int64.max) >= time && time + .seconds(Int64.min) <= time)
    #expect(StoreTime(microseconds: .max) - StoreTime(microseconds: -1) == .microseconds(Int64.max))
  }
}

/// The errors' texts.
extension ClusterMisuseTests {
  @Test(arguments: [
    ClusterError.scheduleNotAgreed(schedule: "x", reason: "a number is expected."),
    .scheduleUnreadable(job: "a", schedule: "x", reason: "a number is expected."),
    .runCancelled(job: "a", token: 1, by: "Ann B."),
  ])
  func `A sentence ends with one period, whatever text it contains`(error: ClusterError) {
    #expect(error.description.hasSuffix(".") && !error.description.contains(".."))
  }
}

/// A caller's mistake, and the message that it causes.
enum ClusterMisuse: String, Codable, CaseIterable {
  case lease, attempts, ownAttempts, within, catchUp, timeout, limit, limitInAll, newLimit, schedule, history,
    noDate, emptyName, longName, zeroInName
  case onScheduler, handlerOnScheduler, virtualClock

  func commit() async throws {
    let (scheduler, hourly) = (TimerScheduler(), TimerSchedule.every(.seconds(3600), starting: .aligned))
    let cluster = TimerCluster(store: MemoryTimerStore(), scheduler: scheduler)
    switch self {
    case .lease: _ = TimerCluster(store: cluster.store, lease: .milliseconds(999))
    case .attempts:
      cluster.schedule(hourly, name: "a", ifAbandoned: .runAgain(attempts: 0)) { _ in }
    case .ownAttempts: _ = NewJob(handler: "a", attempts: 0)
    case .within: _ = NewJob(handler: "a", within: .zero)
    case .limitInAll: cluster.handle("a", limitInAll: 0) { _ in }
    case .newLimit: cluster.handle("a") { _ in }.limit = 0
    case .catchUp: cluster.schedule(hourly, name: "a", catchUp: .seconds(-1)) { _ in }
    case .timeout: cluster.schedule(hourly, name: "a", timeout: .zero) { _ in }
    case .limit: cluster.handle("a", limit: 0) { _ in }
    case .schedule: cluster.schedule(.every(.seconds(60)), name: "a") { _ in }
    case .history: _ = try await cluster.history(limit: -1)
    case .noDate: try await cluster.removeHistory(before: Date(timeIntervalSinceReferenceDate: .nan))
    case .emptyName: cluster.schedule(hourly, name: "") { _ in }
    case .longName:
      cluster.schedule(hourly, name: String(repeating: "ä", count: 501)) { _ in }
    case .zeroInName: cluster.schedule(hourly, name: "a\0b") { _ in }
    case .onScheduler: await scheduler.scheduleOnItself(hourly, in: cluster)
    case .handlerOnScheduler: await scheduler.handleOnItself(in: cluster)
    case .virtualClock:
      _ = TimerCluster(
        store: PostgresTimerStore { _, _ in [] }, scheduler: TimerScheduler(clock: VirtualClock()))
    }
  }

  var sentence: String {
    switch self {
    case .lease: "A cluster's lease must be a second or more, but 0.999 seconds was given."
    case .within:
      "The time in which a date may be begun must be greater than zero, but 0.0 seconds was given."
    case .attempts, .ownAttempts: "A date has one attempt or more, but 0 was given."
    case .catchUp: "The time to catch up must be zero or more, but -1.0 seconds was given."
    case .timeout: "A run's time limit must be greater than zero, but 0.0 seconds was given."
    case .limit, .limitInAll, .newLimit:
      "A handler has one run at a time or more, but a limit of 0 was given."
    case .schedule: "Replicas can't agree on the dates of \"every 1 m\""
    case .history: "A history has zero runs or more, but -1 was given."
    case .noDate: "A cluster's date must be a number, but NaN was given."
    case .emptyName: "1 to 1,000 bytes of UTF-8 and no control characters, but \"\" with 0 bytes was given."
    case .longName: "with 1002 bytes was given."
    case .zeroInName: #"but "a\0b" with 3 bytes was given."#
    case .onScheduler, .handlerOnScheduler:
      "An action can't run on a scheduler, whose timers would stand still."
    case .virtualClock:
      "A scheduler with a virtual clock was given a store in PostgreSQL, which has a clock of its own."
    }
  }
}

extension TimerScheduler {
  fileprivate func scheduleOnItself(_ schedule: TimerSchedule, in cluster: TimerCluster) {
    cluster.schedule(schedule, name: "a") { _ in self.assertIsolated() }
  }

  fileprivate func handleOnItself(in cluster: TimerCluster) {
    cluster.handle("a") { _ in self.assertIsolated() }
  }
}
