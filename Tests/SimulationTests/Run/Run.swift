import Foundation
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// A scenario on the real scheduler, under virtual time.
///
/// Each operation is performed while everything has settled, so that there is one outcome.
final class Run {
  /// Runs that sleep at the end of a scenario hold it, so it says nothing about them.
  let clock = VirtualClock(settlingTimeout: .seconds(60), report: { _ in }, fail: { Issue.record("\($0)") })
  let scheduler: TimerScheduler
  private let chronicle: Chronicle
  var handles: [Int: ScheduledTimer] = [:]
  var consumers: [Int: SimulatedConsumer] = [:]
  /// The consumers' loops.
  var tasks: [Int: Task<Void, any Error>] = [:]
  /// The owners in their places.
  private var owners: [Int: any AnyObject & Sendable] = [:]
  private var scopes: [Int: [Scope]] = [:]
  private var found: [Int?] = []
  private var numbers: [ScheduledTimer.ID: Int] = [:]
  /// The newest stream under each name, since a stream has no handle to identify it.
  var namedStreams: [Name: Int] = [:]

  init(_ scenario: Scenario) {
    var configuration = TimerScheduler.Configuration()
    configuration.ownerCheckInterval = .nanoseconds(scenario.ownerCheckInterval)
    chronicle = Chronicle(of: scenario)
    configuration.observer = chronicle
    // A run may fail after its timer has ended.
    configuration.printsFailures = false
    scheduler = TimerScheduler(clock: clock, configuration: configuration)
  }

  func apply(_ operation: Operation) async {
    switch operation {
    case .make(let timer, let blueprint): make(timer, blueprint)
    case .listen(let timer, let consumer, let busyTimes): listen(to: timer, as: consumer, busyTimes)
    case .leave(let consumer): tasks[consumer]?.cancel()
    case .drop(let timer): handles[timer] = nil
    case .find(let name): await find(name)
    case .pause(let timer): handles[timer]?.pause()
    case .resume(let timer, let behavior): handles[timer]?.resume(behavior)
    case .beginScope(let timer): await beginScope(of: timer)
    case .endScope(let timer): await scopes[timer]?.popLast()?.endAndWait()
    case .pauseAll: await scheduler.pauseAll()
    case .resumeAll(let behavior): await scheduler.resumeAll(behavior)
    case .fire(let timer): handles[timer]?.fire()
    case .reschedule(let timer, let plan): handles[timer]?.reschedule(plan.schedule)
    case .cancel(let timer): handles[timer]?.cancel()
    case .cancelAll(let owner): if let owner = owners[owner] { await scheduler.cancelAll(owner: owner) }
    case .releaseOwner(let owner): owners[owner] = nil
    case .advance(let duration): await clock.advance(by: .nanoseconds(duration))
    case .stall(let duration): await clock.stall(for: .nanoseconds(duration))
    case .setWallClock(let step): await setWallClock(by: step)
    case .shutDown: await shutDown()
    }
    // Lets every consumer settle.
    await clock.advance(by: .zero)
    // A loop that has ended may still release its handle, which ends a timer. Its task ends after that.
    for (number, consumer) in consumers where consumer.hasEnded { _ = await tasks[number]?.result }
  }

  /// Whether the scheduler has to check the owner in a place. Owners in every other place report their
  /// release.
  static func isWatched(_ place: Int) -> Bool { place.isMultiple(of: 2) }

  func owner(at place: Int) -> any AnyObject & Sendable {
    let owner: any AnyObject & Sendable = owners[place] ?? (Self.isWatched(place) ? Owner() : TimerOwner())
    owners[place] = owner
    return owner
  }

  private final class Owner: Sendable {}

  func keep(_ handle: ScheduledTimer, as timer: Int) {
    handles[timer] = handle
    numbers[handle.id] = timer
  }

  private func find(_ name: Name) async {
    let handle: ScheduledTimer?
    if let place = name.owner {
      guard let owner = owners[place] else { return }
      handle = scheduler.timer(named: name.text, owner: owner)
    } else {
      handle = scheduler.timer(named: name.text)
    }
    let number = handle.flatMap { numbers[$0.id] ?? namedStreams.removeValue(forKey: name) }
    found.append(number)
    if let handle { keep(handle, as: number ?? -1) }
  }

  private func beginScope(of timer: Int) async {
    guard let handle = handles[timer] else { return }
    scopes[timer, default: []].append(await Scope.begin(of: handle))
  }

  private func setWallClock(by step: Int64) async {
    await clock.setWallClock(to: Date(moment: clock.date.moment + step))
  }

  private func shutDown() async {
    scheduler.shutdown()
    // Behind the shutdown on the scheduler's queue.
    _ = await scheduler.timerCount
  }

  // MARK: What is seen

  var outcome: Outcome {
    Outcome(
      logs: consumers.mapValues(\.log),
      cancelled: Set(consumers.filter { tasks[$0.key] == nil && $0.value.isCancelled }.keys),
      statuses: handles.mapValues { timer in
        // Asked for first, as it ends a timer without its owner.
        let state = timer.state
        return Outcome.Status(
          state: state, nextDate: timer.nextDate?.moment,
          remainingTime: timer.remainingTime?.inNanoseconds)
      },
      found: found)
  }

  /// The contradictions between the observer's events and the scheduler's statements.
  func contradictions() async -> [String] {
    // Ends the timers whose owners are gone, and waits until the observer has been told.
    _ = await scheduler.timerCount
    await clock.advance(by: .zero)
    return await chronicle.contradictions(with: scheduler)
  }

  /// Ends everything, and waits until every consumer has noticed.
  func finish() async {
    await shutDown()
    for scope in scopes.values.joined() { await scope.endAndWait() }
    for task in tasks.values { task.cancel() }
    for task in tasks.values { _ = await task.result }
    // A run of a timer that has completed goes on. While it sleeps it holds the clock.
    await clock.advance(by: .nanoseconds(Int64.max / 2))
  }
}

extension Duration {
  fileprivate var inNanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
