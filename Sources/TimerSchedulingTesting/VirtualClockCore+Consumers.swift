package import TimerScheduling

extension VirtualClockCore: ConsumerMonitor {
  package func noteEntered(_ consumer: TickConsumer, name: String?) {
    update { $0.attendance.enter(.consumer(consumer), name: name) }
  }

  package func noteBusy(_ consumer: TickConsumer) {
    guard let task = TaskIdentity.current else { return }
    update { $0.attendance.noteBusy(.consumer(consumer), in: task) }
  }

  package func noteAsking(_ wait: WaitID, as consumer: TickConsumer?) {
    guard let task = TaskIdentity.current else { return }
    update { $0.attendance.noteAsking(wait, as: consumer.map { .consumer($0) }, in: task) }
  }

  package func noteWaiting(_ wait: WaitID) {
    update { $0.attendance.noteWaiting(wait) }
  }

  package func noteWoken(_ wait: WaitID) {
    update { $0.attendance.noteWoken(wait) }
  }

  package func noteLeft(_ consumer: TickConsumer) {
    switch consumer {
    case .listener: update { $0.attendance.leave(.consumer(consumer)) }
    case .run:
      let task = TaskIdentity.current
      update { $0.attendance.end(.consumer(consumer), in: task) }
    }
  }

  package func noteFired(timer: UInt64) {
    update { $0.attendance.noteFired(timer: timer) }
  }

  package func noteWorkBegan() {
    update { $0.attendance.beginWork() }
  }

  package func noteWorkEnded() {
    update { $0.attendance.endWork() }
  }

  // MARK: Tasks

  func enterTask() -> Attendance.Attendee {
    update { state in
      let attendee = Attendance.Attendee.task(state.makeNumber())
      state.attendance.enter(attendee, name: nil)
      return attendee
    }
  }

  func begin(_ attendee: Attendance.Attendee) -> TaskIdentity? {
    let task = TaskIdentity.current
    if let task { update { $0.attendance.noteBusy(attendee, in: task) } }
    return task
  }

  func end(_ attendee: Attendance.Attendee, in task: TaskIdentity?) {
    update { $0.attendance.end(attendee, in: task) }
  }
}
