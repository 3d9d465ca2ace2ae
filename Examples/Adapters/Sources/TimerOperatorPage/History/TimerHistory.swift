import Synchronization
public import TimerScheduling

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The last hour of a scheduler's timers: lateness and run time by minute, and the last runs.
///
/// It takes a bounded amount of memory, about 4 kB for each timer: of each the last 10 runs are kept, and of
/// each minute the greatest lateness and the longest run. It keeps timers apart by identifier, up to a limit.
/// Beyond it, a timer takes the place of one that has finished; if none has, only the charts of the whole
/// scheduler count it.
///
/// ```swift
/// let history = TimerHistory()
/// var configuration = TimerScheduler.Configuration()
/// configuration.record(in: history)
/// let scheduler = TimerScheduler(configuration: configuration)
/// let page = OperatorPage(
///   schedulers: [ShownScheduler(scheduler, name: "jobs", history: history)], access: .tokens(tokens))
/// ```
public final class TimerHistory: TimerObserver {
  fileprivate struct State {
    var all = MinuteSeries()
    var latenesses = LatenessCounts()
    var timers: [ScheduledTimer.ID: TimerPast] = [:]
    /// When the runs under way have begun, of any number of timers.
    var beginnings: [ScheduledTimer.ID: Date] = [:]
    /// Those that others may replace, unless they have ticked since. The oldest is the first.
    var replaceable: [ScheduledTimer.ID] = []
  }

  private let timerLimit: Int
  private let now: @Sendable () -> Date
  /// Guards what is kept. Nothing of a timer's is called or released under it.
  private let state = Mutex(State())

  /// Creates a history without timers.
  ///
  /// - Parameter timerLimit: How many timers are kept apart, 500 by default.
  /// - Precondition: `timerLimit` isn't negative.
  public convenience init(timerLimit: Int = 500) { self.init(timerLimit: timerLimit) { Date() } }

  /// Creates a history whose runs begin at the dates of a clock.
  package init(timerLimit: Int = 500, now: @escaping @Sendable () -> Date) {
    precondition(timerLimit >= 0, "The limit of timers must not be negative.")
    self.timerLimit = timerLimit
    self.now = now
  }

  /// Notes how late a tick was, and that a timer has ended.
  public func observe(_ event: TimerEvent) {
    switch event.kind {
    case .ticked(let tick):
      let minute = MinuteSeries.minute(of: tick.date)
      state.withLock { $0.latenesses.note(tick.lateness) }
      change(event.timer) { series in
        series.note(lateness: tick.lateness, at: minute)
      } past: { past in
        past.isReplaceable = false
        past.lastMissedCount = tick.missedCount
      }
    case .finished:
      state.withLock { $0.release(event.timer) }
    default:
      break
    }
  }

  /// Notes that a run of an action begins.
  func noteBegin(of timer: ScheduledTimer.ID) {
    let now = now()
    state.withLock { $0.beginnings[timer] = now }
  }

  /// Notes a run of an action, which has ended.
  ///
  /// The event of the run's tick may come later, and that of the timer's end may have come before.
  package func note(_ run: PastRun, of timer: ScheduledTimer.ID) {
    let minute = MinuteSeries.minute(of: run.date)
    state.withLock { $0.beginnings[timer] = nil }
    change(timer) { series in
      series.note(runTime: run.duration, at: minute)
    } past: { past in
      past.add(run)
    }
  }

  /// The last runs of a timer, the newest first, and its minutes. Nil if it isn't kept.
  package func past(of timer: ScheduledTimer.ID) -> TimerPast? {
    state.withLock { $0.timers[timer] }
  }

  /// The timers that are kept, each with its last hour.
  package var pasts: [ScheduledTimer.ID: TimerPast] { state.withLock(\.timers) }

  /// The latenesses of all ticks since the history was made.
  package var latenesses: LatenessCounts { state.withLock(\.latenesses) }

  /// Returns a summary of a timer's last runs and of the run that goes on.
  package func runs(of timer: ScheduledTimer.ID) -> RunSummary {
    let now = now()
    return state.withLock { state in
      let past = state.timers[timer]
      return RunSummary(
        since: state.beginnings[timer], now: now, usualTime: past?.usualRunTime,
        hasLastFailed: past?.hasLastFailed, lastMissedCount: past?.lastMissedCount, last: past?.runs.first)
    }
  }

  /// The minutes of all timers together.
  package var series: MinuteSeries { state.withLock(\.all) }

  private func change(
    _ timer: ScheduledTimer.ID, series changeSeries: (inout MinuteSeries) -> Void,
    past changePast: (inout TimerPast) -> Void
  ) {
    state.withLock { state in
      changeSeries(&state.all)
      guard var past = state.take(timer, limit: timerLimit) else { return }
      changeSeries(&past.series)
      changePast(&past)
      state.timers[timer] = past
    }
  }
}

extension TimerHistory.State {
  /// Takes out what is kept of a timer, or makes room for one that isn't kept. Returns nil if there is no
  /// room.
  fileprivate mutating func take(_ timer: ScheduledTimer.ID, limit: Int) -> TimerPast? {
    if let past = timers.removeValue(forKey: timer) { return past }
    while timers.count >= limit {
      guard !replaceable.isEmpty else { return nil }
      let oldest = replaceable.removeFirst()
      if timers[oldest]?.isReplaceable == true { timers[oldest] = nil }
    }
    replaceable.append(timer)
    return TimerPast()
  }

  /// Lets others take the place of a timer that has finished.
  fileprivate mutating func release(_ timer: ScheduledTimer.ID) {
    guard timers[timer]?.isReplaceable == false else { return }
    timers[timer]?.isReplaceable = true
    replaceable.append(timer)
  }
}
