import Synchronization

/// Tasks that wait, each until a condition of its own is true. Threads take no lock while no task waits.
///
/// No task is left waiting: it raises the count of waiting tasks and then checks its condition. A thread
/// changes what the condition depends on, and then reads the count in ``resume(where:)``. All four accesses
/// are sequentially consistent, so either the task finds that it needn't wait, or the thread finds the task.
package final class Waiters<Condition: Sendable>: Sendable {
  private let virtual: (any VirtualTasks)?
  /// Guards the waiting tasks, which have the numbers of their waits.
  private let waiting = Lock<[UInt64: (task: WaitingTask, condition: Condition)]>([:])
  /// The number of tasks that are waiting or are about to.
  private let count = Atomic<Int>(0)

  package init(in virtual: (any VirtualTasks)?) { self.virtual = virtual }

  /// Waits until ``resume(where:)`` finds the condition true or, with `isCancellable`, until the task is
  /// cancelled. `condition` is called under the lock, and returns nil if there is nothing to wait for.
  package func wait(isCancellable: Bool = false, for condition: () -> Condition?) async {
    count.add(1, ordering: .sequentiallyConsistent)
    await WaitingTask.suspendUntilCancelled(for: .work, in: virtual) { task, number in
      waiting.withLock { waiting in
        if isCancellable, Task.isCancelled { return false }
        guard let condition = condition() else { return false }
        waiting[number] = (task, condition)
        return true
      }
    } giveUp: { number in
      isCancellable ? waiting.withLock { $0.removeValue(forKey: number)?.task } : nil
    }
    count.subtract(1, ordering: .relaxed)
  }

  /// Resumes the tasks whose condition is true, in the order in which they came. Looks at all that wait.
  package func resume(where isOver: (Condition) -> Bool) {
    guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
    let over = waiting.withLock { waiting in
      let over = waiting.filter { isOver($0.value.condition) }
      for number in over.keys { waiting[number] = nil }
      return over
    }
    for (_, waiter) in over.sorted(by: { $0.key < $1.key }) { waiter.task.resume() }
  }
}
