extension TimerScheduler {
  /// Makes a scheduler with the same time, which isn't shut down with this one.
  package nonisolated func makeCompanion(label: String) -> TimerScheduler {
    var configuration = Configuration()
    configuration.label = label
    return TimerScheduler(configuration: configuration, clock: driver.clock, jitterSeed: driver.jitterSeed)
  }
}
