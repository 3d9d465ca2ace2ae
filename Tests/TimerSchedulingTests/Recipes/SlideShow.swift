import TimerScheduling

/// Shows each picture for five seconds.
@MainActor
final class SlideShow {
  private(set) var picture = 0
  private let scheduler: TimerScheduler
  private var timer: ScheduledTimer?

  init(on scheduler: TimerScheduler = .shared) { self.scheduler = scheduler }

  func start() {
    timer = scheduler.schedule(every: 5, name: "next", owner: self) { show, _ in show.picture += 1 }
  }

  /// Call these when the app enters the background, and when it comes back.
  func pause() { timer?.pause() }
  func resume() { timer?.resume() }
}
