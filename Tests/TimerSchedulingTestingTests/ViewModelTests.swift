import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Code that makes tasks on actors and on the main actor, on a loaded machine. Each of these tests was once
/// flaky.
@Suite(.limited, .guarantee("G131")) struct ViewModelTests {
  /// Calls `body` in many rounds with three busy loops beside it, until it isn't right.
  private func inManyRounds(_ count: Int = 1_000, _ isRight: @Sendable () async -> Bool) async {
    await BusyLoops.run {
      for round in 0..<rounds(count) {
        let result = await isRight()
        #expect(result, "in round \(round)")
        if !result { break }
      }
    }
  }

  @Test func `A view model whose timer makes tasks has all of their results`() async {
    await inManyRounds {
      let clock = VirtualClock(settlingTimeout: .whileMainActorIsBusy)
      let scheduler = TimerScheduler(clock: clock)
      let store = Store()
      let model = ViewModel(store)
      scheduler.schedule(.every(1).limit(5)) { @MainActor _ in model.tick() }
      await clock.advance(by: .seconds(10))
      return await store.count == 5
    }
  }

  @Test func `A view model under virtual time that moves by itself has all of its results`() async {
    await inManyRounds {
      let counts = try? await withVirtualClock { clock in
        let scheduler = TimerScheduler(clock: clock)
        let store = Store()
        let model = ViewModel(store)
        scheduler.schedule(.every(1).limit(5)) { @MainActor _ in model.tick() }
        scheduler.schedule(.every(1).limit(5)) { @MainActor _ in
          Task { model.count += 1 }
        }
        try await clock.sleep(for: .seconds(10))
        return [await store.count, await model.count]
      }
      return counts == [5, 5]
    }
  }

  @Test func `A main-actor test sees what the tasks of its view model have done`() async {
    await inManyRounds { @MainActor in
      let clock = VirtualClock(settlingTimeout: .whileMainActorIsBusy)
      let scheduler = TimerScheduler(clock: clock)
      let model = ViewModel(Store())
      scheduler.schedule(.every(1).limit(3)) { @MainActor _ in
        Task {
          model.count += 1
          await Task.yield()
          Task { model.count += 1 }
        }
      }
      await clock.advance(by: .seconds(3))
      return model.count == 6
    }
  }

  @Test func `An actor's method that makes tasks has all of their results`() async {
    await inManyRounds {
      let clock = VirtualClock(settlingTimeout: .whileMainActorIsBusy)
      let scheduler = TimerScheduler(clock: clock)
      let (called, owner) = (Store(), Store())
      scheduler.schedule(.every(1).limit(3)) { _ in await called.hitTwice() }
      scheduler.schedule(.every(1).limit(3), owner: owner) { owner, _ in owner.hitTwice() }
      await clock.advance(by: .seconds(3))
      return await (called.count, owner.count) == (6, 6)
    }
  }

  @Test func `Tasks of a queue's actor and of a global actor have all of their results`() async {
    await inManyRounds(1000) {
      let clock = VirtualClock(settlingTimeout: .whileMainActorIsBusy)
      let scheduler = TimerScheduler(clock: clock)
      let (store, count) = (QueueStore(), Counter())
      scheduler.schedule(.every(1).limit(3)) { _ in await store.hit().value }
      scheduler.schedule(.every(1).limit(3)) { @Background _ in
        Task {
          await Task.yield()
          Task { count.add() }
        }
      }
      await clock.advance(by: .seconds(3))
      return await (store.count, count.value) == (3, 3)
    }
  }

  @Test func `A plain task of a view model that sleeps between its steps is where it should be`() async {
    await inManyRounds(1000) {
      let isRight = try? await withVirtualClock { @MainActor clock in
        let model = ViewModel(Store())
        let polling = model.poll()
        try await Task.sleep(for: .seconds(3.5))
        let count = model.count
        polling.cancel()
        await polling.value
        return count == 3 && clock.now.offset == .seconds(3.5)
      }
      return isRight == true
    }
  }
}

private actor Store {
  private(set) var count = 0

  func hit() { count += 1 }

  func hitTwice() {
    Task {
      count += 1
      await Task.yield()
      Task { count += 1 }
    }
  }
}

@MainActor private final class ViewModel {
  private let store: Store
  var count = 0

  nonisolated init(_ store: Store) { self.store = store }

  func tick() { Task { await load() } }

  func load() async { await store.hit() }

  /// Counts once a second, by a sleep of Swift's own.
  func poll() -> Task<Void, Never> {
    Task {
      while (try? await Task.sleep(for: .seconds(1))) != nil { count += 1 }
    }
  }
}

private actor QueueStore {
  private let executor = SerialQueueExecutor(label: "QueueStore")
  private(set) var count = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  func hit() -> Task<Void, Never> {
    Task {
      await Task.yield()
      count += 1
    }
  }
}

@globalActor private actor Background {
  static let shared = Background()
}
