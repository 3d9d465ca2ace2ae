import TestSupport
import TimerScheduling

extension TimerScheduler.Configuration {
  /// The default configuration. Calls the closure when the scheduler that has it is released, and its driver with it.
  init(onRelease: @escaping @Sendable () -> Void) {
    self.init()
    let probe = ReleaseProbe(onRelease)
    interceptor = { _, body in
      defer { withExtendedLifetime(probe) {} }
      try await body()
    }
  }
}
