import TimerScheduling

/// A pausing scope that lasts until it is ended.
final class Scope {
  private let task: Task<Void, Never>
  private let end: AsyncStream<Never>.Continuation

  static func begin(of timer: ScheduledTimer) async -> Scope {
    let (hasBegun, begin) = AsyncStream.makeStream(of: Never.self)
    let (hasEnded, end) = AsyncStream.makeStream(of: Never.self)
    let task = Task {
      await timer.withPaused {
        begin.finish()
        for await _ in hasEnded {}
      }
    }
    for await _ in hasBegun {}
    return Scope(task, end)
  }

  private init(_ task: Task<Void, Never>, _ end: AsyncStream<Never>.Continuation) {
    self.task = task
    self.end = end
  }

  func endAndWait() async {
    end.finish()
    await task.value
  }
}
