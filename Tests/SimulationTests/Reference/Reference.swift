import TimerScheduling

/// The scheduler by its promises, without any optimization: it visits all timers at each moment.
struct Reference {
  var clocks = Clocks()
  var timers: [Int: ReferenceTimer] = [:]
  private var found: [Int?] = []
  private var isShutDown = false
  /// The owners in their places, each with a number of its own.
  private var owners: [Int: Int] = [:]
  private var lastOwner = 0

  // MARK: What is done

  mutating func apply(_ operation: Operation) {
    let clocks = clocks
    switch operation {
    case .make(let timer, let blueprint): make(timer, blueprint)
    case .listen(let timer, let consumer, let busyTimes):
      control(timer) { $0.join(ReferenceConsumer(consumer, busyTimes), clocks) }
    case .leave(let consumer): change(consumer) { $0.leave($1) }
    case .drop(let timer): control(timer) { $0.drop() }
    case .find(let name): find(name)
    case .pause(let timer): control(timer) { $0.pause(clocks) }
    case .resume(let timer, let behavior): control(timer) { $0.resume(behavior, clocks) }
    case .beginScope(let timer): control(timer) { $0.beginScope(clocks) }
    case .endScope(let timer): timers[timer]?.endScope(clocks)
    case .pauseAll: for timer in timers.keys { timers[timer]?.pause(clocks) }
    case .resumeAll(let behavior): for timer in timers.keys { timers[timer]?.resume(behavior, clocks) }
    case .fire(let timer): control(timer) { $0.fireByHand(clocks) }
    case .reschedule(let timer, let plan): control(timer) { $0.reschedule(plan, clocks) }
    case .cancel(let timer): control(timer) { $0.finish(.cancelled) }
    case .cancelAll(let owner): cancelAll(of: owner)
    case .releaseOwner(let owner): owners[owner] = nil
    case .advance(let duration): advance(by: duration)
    case .stall(let duration): self.clocks.move(by: duration)
    case .setWallClock(let step): setWallClock(by: step)
    case .shutDown: shutDown()
    }
    settle()
  }

  /// Changes a timer, if the test has a handle of it.
  private mutating func control(_ timer: Int, _ change: (inout ReferenceTimer) -> Void) {
    guard var copy = timers[timer], copy.isHeld else { return }
    change(&copy)
    timers[timer] = copy
  }

  private mutating func make(_ number: Int, _ blueprint: Blueprint) {
    var owner: Int?
    if let place = blueprint.owner {
      if owners[place] == nil {
        lastOwner += 1
        owners[place] = lastOwner
      }
      owner = owners[place]
    }
    if let text = blueprint.name, let rival = holder(of: text, owner) { timers[rival]?.finish(.replaced) }
    var timer = ReferenceTimer(blueprint, number: number, owner: owner, at: clocks)
    // A timer that has no deadline ahead has completed.
    if isShutDown, !timer.completeIfOver() { timer.finish(.schedulerShutDown) }
    timers[number] = timer
  }

  private func holder(of text: String, _ owner: Int?) -> Int? {
    timers.first { _, timer in
      timer.blueprint.name == text && timer.owner == owner && !timer.isFinished
    }?.key
  }

  private mutating func find(_ name: Name) {
    // The reference doesn't ask for a name of an owner that is gone.
    if let place = name.owner, owners[place] == nil { return }
    let timer = holder(of: name.text, name.owner.flatMap { owners[$0] })
    found.append(timer)
    if let timer { timers[timer]?.isHeld = true }
  }

  private mutating func cancelAll(of place: Int) {
    guard let owner = owners[place] else { return }
    for (number, timer) in timers where timer.owner == owner && !timer.isFinished {
      timers[number]?.finish(.cancelled)
    }
  }

  private mutating func shutDown() {
    isShutDown = true
    for number in timers.keys { timers[number]?.finish(.schedulerShutDown) }
  }

  /// Changes the timer of a consumer.
  private mutating func change(_ consumer: Int, _ change: (inout ReferenceTimer, Int) -> Void) {
    for (number, timer) in timers {
      guard let position = timer.consumers.firstIndex(where: { $0.number == consumer }) else { continue }
      if timer.consumers[position].activity == .gone { return }
      if var timer = timers[number] {
        change(&timer, position)
        timers[number] = timer
      }
    }
  }

  // MARK: Consequences

  /// Performs all events of this moment: timers fire first, and sleeps end after them, as
  /// `VirtualClock.advance(by:)` promises.
  mutating func settle() {
    repeat { fireAll() } while wakeAll()
  }

  private mutating func fireAll() {
    var isChanged = true
    while isChanged {
      isChanged = false
      for number in timers.keys.sorted() {
        guard var timer = timers[number] else { continue }
        if let owner = timer.owner, isGone(owner) { timer.finish(.ownerReleased) }
        if let wakeup = timer.wakeup(clocks), wakeup <= clocks.monotonic {
          timer.fire(clocks)
          isChanged = true
        }
        if timer.serve(clocks) { isChanged = true }
        if timer.completeIfOver() { isChanged = true }
        timers[number] = timer
      }
    }
  }

  /// Returns whether a consumer's sleep has ended.
  private mutating func wakeAll() -> Bool {
    var isChanged = false
    for number in timers.keys where timers[number]?.wake(clocks) == true { isChanged = true }
    return isChanged
  }

  /// An owner is held by its place, and by actions that run.
  private func isGone(_ owner: Int) -> Bool {
    !owners.values.contains(owner) && !hasRunningAction(owner)
  }

  private func hasRunningAction(_ owner: Int) -> Bool {
    timers.values.contains { $0.owner == owner && $0.isRunning }
  }

  func hasRunningAction(ofOwnerAt place: Int) -> Bool {
    owners[place].map { hasRunningAction($0) } ?? false
  }

  // MARK: What is seen

  var outcome: Outcome {
    var outcome = Outcome(found: found)
    for (number, timer) in timers {
      for consumer in timer.consumers {
        outcome.logs[consumer.number] = consumer.log
        if consumer.isCancelled { outcome.cancelled.insert(consumer.number) }
      }
      guard timer.isHeld else { continue }
      outcome.statuses[number] = Outcome.Status(
        state: timer.state, nextDate: timer.nextDate(clocks), remainingTime: timer.remainingTime(clocks))
    }
    return outcome
  }
}
