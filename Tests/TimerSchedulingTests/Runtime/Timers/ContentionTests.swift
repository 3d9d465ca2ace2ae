import Dispatch
import TestSupport
import Testing
import TimerScheduling

/// Many threads that schedule and cancel timers of one scheduler.
@Suite(.tags(.threads), .limited, .guarantee("G118")) struct ContentionTests {
  enum Sharing: CaseIterable {
    case names, oneName, owner, owners, timerOwner, timerOwners, observer
  }

  private static let threadCount = 8
  private static let roundCount = ProcessFacts.isUnderSanitizer ? 300 : rounds(4_000, least: 1_000)

  // A lock that threads queue for is handed from wakeup to wakeup, so each call takes a sleep or more.
  @Test(.hazard("T9"), arguments: Sharing.allCases)
  func `Threads that schedule and cancel timers seldom go to sleep, and leave nothing`(
    _ sharing: Sharing
  ) async {
    let log = Journal<TimerEvent>()
    let scheduler = TimerScheduler(configuration: sharing == .observer ? .init(observer: log) : .init())
    let (owner, timerOwner) = (ReleaseProbe(), TimerOwner())
    let sleeps = await Threads.run(Self.threadCount) { thread in
      let owners = (0..<10).map { _ in ReleaseProbe() }
      let timerOwners = (0..<10).map { _ in TimerOwner() }
      for round in 0..<Self.roundCount {
        let timer =
          switch sharing {
          case .names: scheduler.schedule(.after(3600), name: "\(thread) \(round % 100)") { _ in }
          case .oneName: scheduler.schedule(.after(3600), name: "a") { _ in }
          case .owner: scheduler.schedule(.after(3600), owner: owner) { _, _ in }
          case .owners: scheduler.schedule(.after(3600), owner: owners[round % 10]) { _, _ in }
          case .timerOwner: scheduler.schedule(.after(3600), owner: timerOwner) { _, _ in }
          case .timerOwners: scheduler.schedule(.after(3600), owner: timerOwners[round % 10]) { _, _ in }
          case .observer: scheduler.schedule(.after(3600)) { _ in }
          }
        timer.cancel()
      }
    }
    // Under a sanitizer, threads sleep for its own locks.
    #expect(sleeps < Self.threadCount * Self.roundCount / 8 || ProcessFacts.isUnderSanitizer)
    #expect(await scheduler.timerCount == 0)
    #expect(scheduler.nameCount == 0)
    #expect(!scheduler.hasOwners)
    await scheduler.shutdownAndWait()
    await expectStories(of: log, from: scheduler, isObserving: sharing == .observer)
  }

  // Fails, by its time limit, if one of the calls runs on the queue, which is blocked here.
  @Test func `Calls for all timers and for those of an owner don't hold the timer queue`() async {
    let scheduler = TimerScheduler()
    let owner = TimerOwner()
    let timers = (0..<10).map { _ in scheduler.schedule(.after(3600), owner: owner) { _, _ in } }
    let latch = DispatchSemaphore(value: 0)
    scheduler.executor.async { latch.wait() }
    await scheduler.pauseAll()
    #expect(timers.allSatisfy { $0.isPaused })
    await scheduler.resumeAll()
    await scheduler.pauseAll(owner: owner)
    #expect(timers.allSatisfy { $0.isPaused })
    await scheduler.resumeAll(owner: owner)
    await scheduler.cancelAll(owner: owner)
    #expect(timers.allSatisfy { $0.state == .finished(.cancelled) })
    await scheduler.cancelAll()
    latch.signal()
  }

  private func expectStories(of log: Journal<TimerEvent>, from scheduler: TimerScheduler, isObserving: Bool)
    async
  {
    let statistics = await scheduler.statistics
    var stories: [ScheduledTimer.ID: TimerStory] = [:]
    for event in log.entries { stories[event.timer, default: TimerStory()].tell(event.kind) }
    let contradictions = stories.values.flatMap(\.contradictions)
    // An event that had no room is missing in its timer's story.
    #expect(contradictions == [] || statistics.droppedEventCount > 0)
    let eventCount = isObserving ? 2 * Self.threadCount * Self.roundCount : 0
    #expect(log.entries.count + statistics.droppedEventCount == eventCount)
  }
}
