import Dispatch
import TimerScheduling

/// Has all worlds look regularly if anything takes too long in real time.
///
/// A look doesn't count while the main actor or the threads of the global executor are busy for others, as in a process
/// that runs many tests: then tasks are late without a fault of theirs.
final class Watchdog: Sendable {
  static let shared = Watchdog()

  private struct State {
    var worlds: [ObjectIdentifier: World] = [:]
    var isLooking = false
    /// The probes that haven't run yet.
    var pendingProbes = 0
    /// The number of looks since the last one that counted.
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
    state.withLock { _ = $0.worlds.removeValue(forKey: ObjectIdentifier(world)) }
  }

  private func lookLater() {
    let probes = state.withLock { state in
      let areMissing = state.pendingProbes == 0
      if areMissing { state.pendingProbes = 2 }
      return areMissing
    }
    if probes {
      DispatchQueue.main.async { self.probeHasRun() }
      DispatchQueue.global().async { self.probeHasRun() }
    }
    // On a busy machine a task's sleep is as late as the tasks for which the world waits. It is made where no world
    // takes it for its own.
    queue.async {
      Task.detached {
        try? await Task.sleep(for: Self.interval)
        self.look()
      }
    }
  }

  private func probeHasRun() { state.withLock { $0.pendingProbes -= 1 } }

  private func look() {
    let worlds = state.withLock { state -> [World]? in
      if state.worlds.isEmpty {
        state.isLooking = false
        return nil
      }
      let counts = state.pendingProbes == 0 || state.lostCount >= Self.mostLost
      state.lostCount = counts && state.pendingProbes == 0 ? 0 : state.lostCount + 1
      return counts ? Array(state.worlds.values) : []
    }
    guard let worlds else { return }
    for world in worlds { world.look(after: Self.interval) }
    lookLater()
  }
}
