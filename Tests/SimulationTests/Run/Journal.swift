import TimerScheduling
import TimerSchedulingTesting

/// The ticks that one consumer has got, and its habits.
final class Journal: Sendable {
  private let ticks = Lock<[Tick]>([])
  private let wasCancelled = Lock(false)
  private let habits: Habits
  private let clock: VirtualClock

  init(_ habits: Habits, _ clock: VirtualClock) {
    self.habits = habits
    self.clock = clock
  }

  var log: [Tick] { ticks.withLock { $0 } }

  /// Whether it was cancelled while it was busy, and so done with its tick at once.
  var isCancelled: Bool { wasCancelled.withLock { $0 } }

  /// Loops over the ticks of a sequence.
  func follow<Element: Sendable>(
    _ sequence: some AsyncSequence<Element, Never> & Sendable, _ tick: (Element) -> Tick
  ) async {
    for await element in sequence { await take(tick(element)) }
  }

  /// Logs a tick and is busy with it. Returns how many came before.
  @discardableResult
  func take(_ tick: Tick) async -> Int {
    let index = ticks.withLock { ticks in
      ticks.append(tick)
      return ticks.count - 1
    }
    let sleep = habits.sleep(after: index)
    if sleep > 0 {
      do { try await clock.sleep(for: .nanoseconds(sleep)) } catch { wasCancelled.withLock { $0 = true } }
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
