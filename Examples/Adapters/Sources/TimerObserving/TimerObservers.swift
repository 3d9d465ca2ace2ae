public import TimerScheduling

/// Tells several observers of each event, one after the other.
///
/// ```swift
/// var configuration = TimerScheduler.Configuration()
/// configuration.observer = TimerObservers(LoggingTimerObserver(logger: logger), MetricsTimerObserver())
/// ```
public struct TimerObservers: TimerObserver {
  private let observers: [any TimerObserver]

  /// Creates an observer that passes on what it is told, in the order given.
  public init(_ observers: any TimerObserver...) {
    self.observers = observers
  }

  /// Tells each observer of one event.
  public func observe(_ event: TimerEvent) {
    for observer in observers { observer.observe(event) }
  }
}
