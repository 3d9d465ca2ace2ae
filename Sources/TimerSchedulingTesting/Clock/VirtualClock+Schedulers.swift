public import TimerScheduling

extension TimerScheduler {
  /// Creates a scheduler on a test's virtual clock.
  ///
  /// Jitter is the same in every run of a test.
  ///
  /// - Parameters:
  ///   - clock: The clock. Several schedulers may share one.
  ///   - configuration: The settings of the scheduler.
  public init(clock: VirtualClock, configuration: Configuration = Configuration()) {
    self.init(clock: clock, configuration: configuration, jitterSeed: 1)
  }

  package init(clock: VirtualClock, configuration: Configuration, jitterSeed: UInt64) {
    self.init(configuration: configuration, clock: clock.core, jitterSeed: jitterSeed)
    clock.core.adopt(driver)
  }
}

extension VirtualClock {
  /// Returns a wakeup source for a clock that is built on this one.
  package func makeWakeupSource(
    on timeline: Timeline, executor: QueueExecutor, onWakeup: @escaping @Sendable () -> Void
  ) -> any WakeupSource {
    core.makeWakeupSource(on: timeline, executor: executor, onWakeup: onWakeup)
  }
}
