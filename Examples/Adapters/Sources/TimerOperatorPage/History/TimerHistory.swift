import Synchronization
public import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the timers of a scheduler have done in the last hour: lateness and run time by minute, and the last runs.
///
/// It takes a bounded amount of memory, about 4 kB for each timer: of each the last 10 runs are kept, and of each minute
/// the greatest lateness and the longest run. It keeps timers apart by identifier, up to a limit. Beyond it, a timer takes
/// the place of one that has finished; if none has, only the charts of the whole scheduler count it.
///
/// ```swift
/// let history = TimerHistory()
/// var configuration = TimerScheduler.Configuration()
/// configuration.record(in: history)
/// let scheduler = TimerScheduler(configuration: configuration)
/// let page = OperatorPage(
///   schedulers: [ShownScheduler(scheduler, name: "jobs", history: history)], adminToken: token)
/// ```
public final class TimerHistory: TimerObserver {
  private struct State {
    var all = MinuteSeries()
    var timers: [ScheduledTimer.ID: TimerPast] = [:]
    /// Those that have finished, which others may replace. The oldest is the first.
    var finished: [ScheduledTimer.ID] = []
  }

  private let timerLimit: Int
  /// Guards what is kept. Nothing of a timer's is called or released under it.
  private let state = Mutex(State())

  /// Creates a history without timers.
  ///
  /// - Parameter timerLimit: How many timers are kept apart, 500 by default.
  /// - Precondition: `timerLimit` isn't negative.
  public init(timerLimit: Int = 500) {
    precondition(timerLimit >= 0, "The limit of timers must not be negative.")
    self.timerLimit = timerLimit
  }

  /// Notes how late a tick was, and that a timer has ended.
  public func observe(_ event: TimerEvent) {
    switch event.kind {
    case .ticked(let tick):
      change(event.timer, at: tick.date) { $0.note(lateness: tick.lateness, at: $1) }
    case .finished:
      finish(event.timer)
    default:
      break
    }
  }

  /// Notes a run of an action.
  package func note(_ run: PastRun, of timer: ScheduledTimer.ID) {
    change(timer, at: run.date) { $0.note(runTime: run.duration, at: $1) }
    state.withLock { $0.timers[timer]?.add(run) }
  }

  /// The last runs of a timer, the newest first, and its minutes. Nil if it isn't kept.
  package func past(of timer: ScheduledTimer.ID) -> TimerPast? {
    state.withLock { $0.timers[timer] }
  }

  /// The minutes of all timers together.
  package var series: MinuteSeries { state.withLock(\.all) }

  private func change(
    _ timer: ScheduledTimer.ID, at date: Date, _ change: (inout MinuteSeries, _ minute: Int) -> Void
  ) {
    let minute = MinuteSeries.minute(of: date)
    state.withLock { state in
      change(&state.all, minute)
      if state.timers[timer] == nil {
        guard makeRoom(in: &state) else { return }
        state.timers[timer] = TimerPast()
      }
      if var past = state.timers.removeValue(forKey: timer) {
        change(&past.series, minute)
        state.timers[timer] = past
      }
    }
  }

  private func makeRoom(in state: inout State) -> Bool {
    guard state.timers.count >= timerLimit else { return true }
    guard !state.finished.isEmpty else { return false }
    state.timers[state.finished.removeFirst()] = nil
    return true
  }

  private func finish(_ timer: ScheduledTimer.ID) {
    state.withLock { state in
      if state.timers[timer] != nil { state.finished.append(timer) }
    }
  }
}
