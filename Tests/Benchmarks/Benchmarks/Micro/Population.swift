import Synchronization
import TimerScheduling

#if canImport(Glibc)
import Glibc
#else
import Foundation
#endif

/// Pending timers of one scheduler.
final class Population<Timer: Sendable>: Sendable {
  private struct State {
    var maker: TimerMaker
    var timers: [Timer] = []
  }

  let count: Int
  private let scheduler = TimerScheduler()
  /// Guards the timers, which are used by one caller at a time.
  private let state: Mutex<State>

  init(of count: Int, _ make: @escaping @Sendable (inout TimerMaker) -> Timer) async {
    self.count = count
    state = Mutex(State(maker: TimerMaker(of: scheduler)))
    await change { state in
      for _ in 0..<count { state.timers.append(make(&state.maker)) }
    }
  }

  /// Performs an operation on each timer, and returns the processor time that it took.
  func forEach(
    _ operation: @escaping @Sendable (inout Timer, inout TimerMaker) -> Void
  ) async -> Duration {
    await change { state in
      for position in state.timers.indices { operation(&state.timers[position], &state.maker) }
    }
  }

  /// Makes a change on the scheduler's own queue, and returns the processor time until the scheduler has
  /// processed it.
  ///
  /// On another thread, it would depend on how the two get in each other's way, and the figures vary with it.
  /// The time is read there, too, as Linux counts that of other threads when they come to a stop.
  @discardableResult
  private func change(_ body: @escaping @Sendable (inout State) -> Void) async -> Duration {
    let start = await scheduler.run {
      let start = clock()
      self.state.withLock { body(&$0) }
      return start
    }
    let end = await scheduler.run { clock() }
    return .seconds(1) * Int(end - start) / Int(CLOCKS_PER_SEC)
  }
}

extension TimerScheduler {
  fileprivate func run<Result: Sendable>(_ work: @Sendable () -> Result) -> Result { work() }
}
