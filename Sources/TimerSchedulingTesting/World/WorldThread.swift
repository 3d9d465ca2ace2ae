import TimerScheduling

/// The world whose work a thread does, or makes tasks for, stored on the thread's stack.
struct WorldThread {
  let world: World
  /// The member whose job runs, or for which the thread makes tasks.
  var member: Member?
  /// Whether all tasks that the thread makes are of this world, whichever task runs.
  var isOnlyMaking = false
  /// The runtime's record of the `async let` that the thread begins.
  var record: UInt?
  /// The number of the worker that it is.
  var worker: UInt64 = 0
  /// Whether a task has gone on within the job that runs.
  var hasGoneOn = false

  private static let pointer = ThreadPointer()

  static var current: WorldThread? {
    unsafe pointer.value.map { unsafe $0.assumingMemoryBound(to: WorldThread.self).pointee }
  }

  /// Calls `body`, whose tasks `maker` makes.
  static func making<Result>(for maker: World.Maker, _ body: () -> Result) -> Result {
    unsafe with(
      WorldThread(world: maker.world, member: maker.member, isOnlyMaking: true, record: maker.record)
    ) { _ in body() }
  }

  /// Calls `body` on a thread that works for `world`.
  static func working<Result>(
    for world: World, as worker: UInt64, _ body: (UnsafeMutablePointer<WorldThread>) -> Result
  ) -> Result {
    unsafe with(WorldThread(world: world, worker: worker), body)
  }

  private static func with<Result>(
    _ thread: WorldThread, _ body: (UnsafeMutablePointer<WorldThread>) -> Result
  ) -> Result {
    var thread = thread
    return unsafe withUnsafeMutablePointer(to: &thread) { thread in
      let outer = unsafe pointer.value
      unsafe pointer.value = UnsafeMutableRawPointer(thread)
      defer { unsafe pointer.value = outer }
      return unsafe body(thread)
    }
  }
}
