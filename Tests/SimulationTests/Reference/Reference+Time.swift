extension Reference {
  mutating func setWallClock(by step: Int64) {
    let before = clocks
    clocks.wall += step
    if step < 0 {
      for number in timers.keys { timers[number]?.noteSetBack(from: before, clocks) }
    }
  }

  mutating func advance(by duration: Int64) {
    let target = clocks.monotonic + duration
    while let moment = nextMoment, moment <= target {
      clocks.move(by: max(moment - clocks.monotonic, 0))
      settle()
    }
    clocks.move(by: target - clocks.monotonic)
  }

  /// The time of the next event.
  var nextMoment: Int64? {
    [nextWakeup, nextAwakening].compactMap(\.self).min()
  }

  /// The time at which a timer is due next.
  var nextWakeup: Int64? {
    timers.values.compactMap { $0.wakeup(clocks) }.min()
  }

  /// The time at which a consumer is ready for a tick again.
  var nextAwakening: Int64? {
    timers.values.flatMap(\.consumers).compactMap { consumer in
      switch consumer.activity {
      case .asleep(let until): until
      case .asking, .gone: nil
      }
    }.min()
  }
}
