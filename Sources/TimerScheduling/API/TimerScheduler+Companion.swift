extension TimerScheduler {
  /// Makes a scheduler on the same clock that isn't shut down with this one.
  package nonisolated func makeCompanion(label: String) -> TimerScheduler {
    var configuration = Configuration()
    configuration.label = label
    return TimerScheduler(configuration: configuration, clock: context.clock, jitterSeed: context.jitterSeed)
  }
}
