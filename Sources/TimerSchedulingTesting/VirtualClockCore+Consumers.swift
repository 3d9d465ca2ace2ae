package import TimerScheduling

extension VirtualClockCore: ConsumerMonitor {
  package func consumerEntered(_ consumer: TickConsumer, name: String?) {
    update { $0.attendance.enter(.consumer(consumer), name: name) }
  }

  package func consumerIsBusy(_ consumer: TickConsumer) {
    guard let task = TaskIdentity.current else { return }
    update { $0.attendance.consumerIsBusy(.consumer(consumer), in: task) }
  }

  package func waitBegins(_ wait: WaitID, as consumer: TickConsumer?) {
    guard let task = TaskIdentity.current else { return }
    update { $0.attendance.waitBegins(wait, as: consumer.map { .consumer($0) }, in: task) }
  }

  package func waitBegan(_ wait: WaitID) {
    update { $0.attendance.waitBegan(wait) }
  }

  package func waitEnded(_ wait: WaitID) {
    update { $0.attendance.waitEnded(wait) }
  }

  package func consumerLeft(_ consumer: TickConsumer) {
    switch consumer {
    case .listener: update { $0.attendance.leave(.consumer(consumer)) }
    case .run:
      let task = TaskIdentity.current
      update { $0.attendance.end(.consumer(consumer), in: task) }
    }
  }

  package func hasFired(timer: UInt64) {
    update { $0.attendance.hasFired(timer: timer) }
  }

  package func workBegan() {
    update { $0.attendance.beginWork() }
  }

  package func workEnded() {
    update { $0.attendance.endWork() }
  }

  // MARK: Tasks

  package func taskEntered() -> UInt64 {
    update { state in
      let number = state.makeNumber()
      state.attendance.enter(.task(number), name: nil)
      return number
    }
  }

  package func taskBegan(_ number: UInt64) {
    guard let task = TaskIdentity.current else { return }
    update { $0.attendance.consumerIsBusy(.task(number), in: task) }
  }

  package func taskEnded(_ number: UInt64) {
    let task = TaskIdentity.current
    update { $0.attendance.end(.task(number), in: task) }
  }

  package func waitForEndOfMoment() async {
    guard let task = TaskIdentity.current else { return }
    await withCheckedContinuation { continuation in
      let isMoving = update { state in
        guard state.isMoving else { return false }
        state.time.addLast(VirtualTime.Sleep(task: task, continuation: continuation))
        state.attendance.beginWait(of: task)
        return true
      }
      // While no task moves the clock, no other becomes busy by it.
      if !isMoving { continuation.resume() }
    }
  }
}
