import Dispatch

/// How a world that explores orders runs the tasks of actors.
///
/// Its tasks prefer an executor, so each hop is a job. But the job of an actor runs all tasks that wait for
/// the actor, one after the other. So its thread waits before each but the first, and another thread goes on
/// as the worker, until the task is chosen.
extension World {
  /// The greatest number of threads that wait.
  private static var mostTurns: Int { 100 }

  /// Called before a task goes on within a job that the thread runs.
  static func goesOn(at address: UInt, on thread: UnsafeMutablePointer<WorldThread>) {
    // Within a task, another one begins at once, or the result of one that has ended is read.
    guard unsafe withUnsafeCurrentTask(body: { unsafe $0 == nil }),
      let member = Members.member(at: address), member.isUnderWay
    else { return }
    let world = unsafe thread.pointee.world
    guard member.world === world else { return }
    if unsafe thread.pointee.hasGoneOn {
      unsafe world.waitForTurn(of: member, on: thread)
    } else {
      unsafe thread.pointee.hasGoneOn = true
      world.state.withLock { $0.order?.timeline?.goesOn(member) }
    }
    unsafe thread.pointee.member = member
  }

  private func waitForTurn(of member: Member, on thread: UnsafeMutablePointer<WorldThread>) {
    let turn = DispatchSemaphore(value: 0)
    var remains = Remains()
    let last = unsafe thread.pointee.member
    let number = unsafe thread.pointee.worker
    let worker = state.withLock { state -> UInt64? in
      guard state.worker == number, state.order != nil, state.turnCount < Self.mostTurns else {
        state.order?.isWhole = false
        return nil
      }
      if let last { state.hasRun(last, &remains) }
      member.isReady = true
      var work = ReadyWork(kind: .turn(turn), member: member)
      state.order?.prepare(&work)
      state.ready.append(work)
      state.turnCount += 1
      state.progress &+= 1
      state.queue = DispatchQueue(label: "VirtualClock")
      return number
    }
    drop(remains)
    guard let worker else { return }
    start(worker)
    turn.wait()
    unsafe thread.pointee.worker = state.withLock { state in
      state.turnCount -= 1
      return state.worker
    }
  }

  /// Notes that a task is made that runs beside the world.
  func leavesOrder() {
    if isExploring { state.withLock { $0.order?.isWhole = false } }
  }

  /// Calls a function that ends a sleep.
  func endSleep(_ end: () -> Void) {
    guard isExploring else { return end() }
    state.withLock { $0.endsSleep = true }
    end()
    state.withLock { $0.endsSleep = false }
  }
}
