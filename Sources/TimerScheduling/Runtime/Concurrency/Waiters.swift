import Synchronization

/// Tasks that wait, each until a condition of its own is true.
///
/// A thread that has made a condition true calls ``resumeFirst(while:)``. It takes no lock while no task waits. No
/// task is left waiting: the task raises the count of waiting tasks and then checks its condition; the thread changes
/// what the condition depends on and then reads the count. All four accesses are sequentially consistent, so either
/// the task finds that it needn't wait, or the thread finds the task.
package final class Waiters<Condition: Sendable>: Sendable {
  private struct Waiter {
    let wait: CancellableWait
    let condition: Condition
  }

  private let world: (any ClockWorld)?
  /// Guards the waiting tasks.
  private let list = Lock(WaitList<Waiter>())
  /// The number of tasks that are waiting or are about to.
  private let count = Atomic<Int>(0)

  package init(in world: (any ClockWorld)?) { self.world = world }

  /// Waits until a call that resumes finds the condition true or, with `isCancellable`, until the task is cancelled.
  ///
  /// `condition` is called under the lock. It returns nil if there is nothing to wait for.
  package func wait(isCancellable: Bool = false, for condition: () -> Condition?) async {
    count.add(1, ordering: .sequentiallyConsistent)
    await WaitingTask.suspendUntilCancelled(for: .work, in: world) { task, wait in
      list.withLock { list in
        if isCancellable, Task.isCancelled { return false }
        guard let condition = condition() else { return false }
        wait.begin(task)
        list.append(Waiter(wait: wait, condition: condition))
        return true
      }
    } giveUp: { wait in
      guard isCancellable else { return nil }
      return list.withLock { list in
        let task = wait.end()
        if task != nil { list.gaveUp { $0.wait.task == nil } }
        return task
      }
    }
    count.subtract(1, ordering: .relaxed)
  }

  /// Resumes tasks in the order in which they came, as long as their condition is true.
  package func resumeFirst(while isOver: (Condition) -> Bool) {
    guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
    let over = list.withLock { list in
      list.takeFirst { $0.wait.task == nil || isOver($0.condition) }.compactMap { $0.wait.end() }
    }
    for task in over { task.resume() }
  }
}
