import TimerScheduling

/// The world whose work a thread does, stored on the thread's stack.
struct WorldThread {
  let world: World
  /// Whether the thread works for no world, but makes tasks of this one.
  var isOnlyMaking = false
  /// The task whose job runs.
  private(set) var member: Member?
  /// When the job has begun, if the sleeps of Swift's own clocks are virtual.
  private(set) var jobBegan: ContinuousClock.Instant?

  mutating func begin(_ work: ReadyWork, isTimed: Bool) {
    member = work.member
    jobBegan = isTimed ? .now : nil
  }

  mutating func end() { member = nil }

  private static let pointer = ThreadPointer()

  static var current: WorldThread? {
    unsafe pointer.value.map { unsafe $0.assumingMemoryBound(to: WorldThread.self).pointee }
  }

  /// Calls `body`, which makes tasks of `world`.
  static func with<Result>(_ world: World, _ body: () -> Result) -> Result {
    unsafe with(world) { (thread: UnsafeMutablePointer<WorldThread>) in
      unsafe thread.pointee.isOnlyMaking = true
      return body()
    }
  }

  /// Calls `body` on a thread that works for `world`.
  static func with<Result>(_ world: World, _ body: (UnsafeMutablePointer<WorldThread>) -> Result) -> Result {
    var thread = WorldThread(world: world)
    return unsafe withUnsafeMutablePointer(to: &thread) { thread in
      let outer = unsafe pointer.value
      unsafe pointer.value = UnsafeMutableRawPointer(thread)
      defer { unsafe pointer.value = outer }
      return unsafe body(thread)
    }
  }
}
