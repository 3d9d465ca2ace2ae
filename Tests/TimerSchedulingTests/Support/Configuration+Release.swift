import TestSupport
import TimerScheduling

extension TimerScheduler.Configuration {
  /// The default configuration. Calls the closure when the scheduler that has it is released, and its driver
  /// with it.
  init(onRelease: @escaping @Sendable () -> Void) {
    self.init(observer: ReleaseObserver(probe: ReleaseProbe(onRelease)))
  }
}

/// An observer that only holds a probe. An interceptor would enclose the runs.
private struct ReleaseObserver: TimerObserver {
  let probe: ReleaseProbe

  func observe(_ event: TimerEvent) {}
}
