import Dispatch
import TimerScheduling

/// Has all worlds look regularly if anything takes too long in real time.
///
/// A look doesn't count while the main actor or the threads of the global executor are busy for others, as in
/// a process that runs many tests: then tasks are late without a fault of theirs.
final class Watchdog: Sendable {
  static let shared = Watchdog()

  private struct State {
    var worlds: [ObjectIdentifier: World] = [:]
    var isLooking = false
    /// The threads whose probes haven't run yet.
    var isMainPending = false
    var isGlobalPending = false
    /// The number of looks since the last one that counted for all.
    var lostCount = 0
  }

  private static var interval: Duration { .milliseconds(20) }
  /// The number of looks after which one counts in any case, as a program may never run its main actor.
  private static var mostLost: Int { 3000 }

  /// Guards the worlds and the state of the looks.
  private let state = WorldLock(State())
  private let queue = DispatchQueue(label: "VirtualClock.watchdog")

  func add(_ world: World) {
    let begins = state.withLock { state in
      state.worlds[ObjectIdentifier(world)] = world
      defer { state.isLooking = true }
      return !state.isLooking
    }
    if begins { lookLater() }
  }

  func remove(_ world: World) {
    let removed = state.withLock { $0.worlds.removeValue(forKey: ObjectIdentifier(world)) }
    withExtendedLifetime(removed) {}
  }

  private func lookLater() {
    let (main, global) = state.withLock { state in
      defer { (state.isMainPending, state.isGlobalPending) = (true, true) }
      return (!state.isMainPending, !state.isGlobalPending)
    }
    if main { DispatchQueue.main.async { self.state.withLock { $0.isMainPending = false } } }
    if global { DispatchQueue.global().async { self.state.withLock { $0.isGlobalPending = false } } }
    // On a busy machine a task's sleep is as late as the tasks for which the world waits. It is made where no
    // world takes it for its own.
    queue.async {
      Task.detached {
        try? await Task.sleep(for: Self.interval)
        self.look()
      }
    }
  }

  private func look() {
    let (worlds, isMainThreadBusy) = state.withLock { state -> ([World]?, Bool) in
      if state.worlds.isEmpty {
        state.isLooking = false
        return (nil, false)
      }
      let isLost = state.isMainPending || state.isGlobalPending
      state.lostCount = isLost ? state.lostCount + 1 : 0
      let counts = state.lostCount >= Self.mostLost || !state.isGlobalPending
      let isMainThreadBusy = state.lostCount < Self.mostLost && state.isMainPending
      return (counts ? Array(state.worlds.values) : [], isMainThreadBusy)
    }
    guard let worlds else { return }
    for world in worlds { world.look(after: Self.interval, isMainThreadBusy: isMainThreadBusy) }
    lookLater()
  }
}
