import TimerScheduling
import TimerSchedulingTesting

/// A loop or an action that notes its ticks, and is busy with each for as long as its busy times say.
final class SimulatedConsumer: Sendable {
  private struct State {
    var log: [Tick] = []
    var isCancelled = false
    var hasEnded = false
  }

  /// Guards what has happened so far.
  private let state = Lock(State())
  private let busyTimes: BusyTimes
  private let clock: VirtualClock

  init(_ busyTimes: BusyTimes, _ clock: VirtualClock) {
    self.busyTimes = busyTimes
    self.clock = clock
  }

  var log: [Tick] { state.withLock { $0.log } }

  /// Whether it was cancelled while it was busy, and so done with its tick at once.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Whether its loop has ended.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Loops over the ticks of a sequence.
  func follow<Element: Sendable>(
    _ sequence: some AsyncSequence<Element, Never> & Sendable, _ tick: (Element) -> Tick
  ) async {
    for await element in sequence { await take(tick(element)) }
    state.withLock { $0.hasEnded = true }
  }

  /// Logs a tick and is busy with it. Returns how many came before.
  @discardableResult
  func take(_ tick: Tick) async -> Int {
    let index = state.withLock { state in
      state.log.append(tick)
      return state.log.count - 1
    }
    let sleep = busyTimes.sleep(after: index)
    if sleep > 0 {
      do { try await clock.sleep(for: .nanoseconds(sleep)) } catch {
        state.withLock { $0.isCancelled = true }
      }
    }
    return index
  }
}

extension Tick {
  init(_ tick: TimerTick) {
    date = tick.date.moment
    details = Details(
      due: tick.scheduledDate.moment, index: tick.index, missed: tick.missedCount,
      lateness: Interval(tick.lateness).nanoseconds)
  }
}
