import TestSupport
import TimerScheduling
import TimerSchedulingTesting

/// The ways in which a test makes a task.
enum Birth: CaseIterable, Sendable {
  case task, detached, immediate, child, childOfGroup, childOfDiscardingGroup, childOfChild
  case onMainActor, onActor, onQueue, onOtherExecutor, withinOtherExecutor
  case action, taskOfAction, detachedTaskOfAction, addedTask

  /// Runs `body` in a task of this kind, and waits for its end.
  func run(on clock: VirtualClock, _ body: @escaping @Sendable () async -> Void) async {
    switch self {
    case .task: await Task { await body() }.value
    case .detached: await Task.detached { await body() }.value
    case .immediate: await Task.immediate { await body() }.value
    case .child:
      async let child: Void = body()
      await child
    case .childOfGroup: await withTaskGroup { $0.addTask { await body() } }
    case .childOfDiscardingGroup: await withDiscardingTaskGroup { $0.addTask { await body() } }
    case .childOfChild:
      await withTaskGroup { group in
        group.addTask {
          async let child: Void = body()
          await child
        }
      }
    case .onMainActor: await Task { @MainActor in await body() }.value
    case .onActor: await Maker().make(body).value
    case .onQueue: await Task { @Queued in await body() }.value
    case .onOtherExecutor: await Task(executorPreference: otherExecutor) { await body() }.value
    case .withinOtherExecutor: await withTaskExecutorPreference(otherExecutor) { await body() }
    case .action: await runAction(on: clock, body)
    case .taskOfAction: await runAction(on: clock) { await Task { await body() }.value }
    case .detachedTaskOfAction: await runAction(on: clock) { await Task.detached { await body() }.value }
    case .addedTask: await clock.addTask { await body() }.value
    }
  }

  private func runAction(on clock: VirtualClock, _ body: @escaping @Sendable () async -> Void) async {
    let scheduler = TimerScheduler(clock: clock)
    await scheduler.schedule(after: 0) { _ in await body() }.waitUntilFinished()
    await scheduler.waitUntilActionsHaveEnded()
  }
}

private let otherExecutor = QueueTaskExecutor(label: "other executor")

private actor Maker {
  /// Makes a task that is born on this actor.
  func make(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task {
      assertIsolated()
      await body()
    }
  }
}

@globalActor private actor Queued {
  static let shared = Queued()
  private static let executor = SerialQueueExecutor(label: "global actor")

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe Self.executor.asUnownedSerialExecutor() }
}
