import TimerScheduling

extension ReferenceTimer {
  // MARK: Coming and going

  mutating func join(_ consumer: ReferenceConsumer, _ clocks: Clocks) {
    if phase == .parked, pausedSince == nil { look(clocks) }
    var consumer = consumer
    let isAlone = consumers.allSatisfy { $0.activity == .gone }
    if isAlone, takenCount == 0, !isEnded { consumer.owed = Array(firstNumber..<count) }
    consumers.append(consumer)
  }

  mutating func leave(_ position: Int) {
    consumers[position].activity = .gone
    consumers[position].owed = []
    switch blueprint.form {
    case .stream where position == 0: finish(.cancelled)
    case .stream, .timer, .action: finishIfUnheld()
    }
  }

  mutating func drop() {
    isHeld = false
    finishIfUnheld()
  }

  mutating func finishIfUnheld() {
    switch blueprint.form {
    case .timer where blueprint.name == nil && !isHeld && scopeCount == 0:
      if consumers.allSatisfy({ $0.activity == .gone }) { finish(.cancelled) }
    case .timer, .stream, .action:
      break
    }
  }

  // MARK: The end

  mutating func finish(_ reason: ScheduledTimer.FinishReason) {
    if !isFinished {
      phase = .finished(reason)
      cancelRun(reason)
    }
    isEnded = true
    for position in consumers.indices {
      consumers[position].owed = []
      consumers[position].activity = .gone
    }
  }

  private mutating func cancelRun(_ reason: ScheduledTimer.FinishReason) {
    switch reason {
    case .cancelled, .replaced, .ownerReleased:
      for position in consumers.indices where consumers[position].isAction && consumers[position].isAsleep {
        consumers[position].isCancelled = true
      }
    default:
      // Others let it go on to its end.
      break
    }
  }

  /// Completes a timer that is over, once its last tick was taken or no consumer is left for it.
  mutating func completeIfOver() -> Bool {
    guard phase == .over, !isRunning else { return false }
    let isOwed = consumers.indices.contains { owes($0) }
    let isTaken = isAtLimit || indices[count - 1] != nil
    guard !isOwed || pausedSince == nil && isTaken else { return false }
    phase = .finished(.completed)
    return true
  }
}
