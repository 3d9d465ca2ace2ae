import Dispatch
import Synchronization
import TimerScheduling

/// A task that does the work of a clock's schedulers: their passes, and the making of tasks for runs.
///
/// It is made where the clock is made. So it has the task-local values that the test has there, and the tasks
/// that it makes inherit them: a failed `#expect` in an action belongs to the test. It is suspended but for
/// the calls of ``perform(_:)``, in which its job runs at once, on the calling thread.
@safe final class TaskMaker: Sendable {
  private let isBusy = Atomic<Bool>(false)
  private let hasEnded = Atomic<Bool>(false)
  // For the thread that has set `isBusy`.
  @safe nonisolated(unsafe) private var continuation: UnsafeContinuation<Void, Never>?
  @safe nonisolated(unsafe) private var work: (() -> Void)?
  @safe nonisolated(unsafe) private var job: UnownedJob?
  @safe nonisolated(unsafe) private var task: RuntimeTask?

  /// Makes a task of a world.
  init(in world: World) {
    #if os(Linux)
    let task = WorldThread.making(for: World.Maker(world: world, member: nil)) {
      Task.immediate {
        while !self.hasEnded.load(ordering: .acquiring) {
          await unsafe withUnsafeContinuation { unsafe self.continuation = $0 }
          self.work.take()?()
        }
      }
    }
    self.task = Runtime.task(at: unsafe unsafeBitCast(task, to: UInt.self))
    if let task = self.task {
      let member = world.join(task, madeBy: nil)
      // Nothing but this object resumes it, so the runtime isn't asked what it does.
      world.state.withLock { state in
        member.isUnsettled = false
        state.unsettled.removeAll { $0 === member }
      }
    }
    #endif
  }

  /// The object whose task the thread resumes.
  private static let resuming = ThreadPointer()

  /// Takes a job that is about to be enqueued, if it is that of a task which the calling thread resumes to
  /// run it.
  static func takes(_ job: UnownedJob) -> Bool {
    guard let pointer = unsafe resuming.value else { return false }
    unsafe Unmanaged<TaskMaker>.fromOpaque(pointer).takeUnretainedValue().job = job
    return true
  }

  /// Calls `body` in the task, or directly if the task is busy on another thread.
  func perform(_ body: () -> Void) {
    if let task, task == Runtime.currentTask { return body() }
    if isBusy.exchange(true, ordering: .acquiring) { return body() }
    guard !hasEnded.load(ordering: .acquiring), let continuation = unsafe continuation.take() else {
      isBusy.store(false, ordering: .releasing)
      if hasEnded.load(ordering: .acquiring) { endTask() }
      return body()
    }
    withoutActuallyEscaping(body) { body in
      work = body
      unsafe Self.resuming.value = Unmanaged.passUnretained(self).toOpaque()
      unsafe continuation.resume()
      unsafe Self.resuming.value = nil
      guard let job = job.take() else { preconditionFailure("A job of a virtual clock has gone elsewhere.") }
      Runtime.run(job)
    }
    isBusy.store(false, ordering: .releasing)
    if hasEnded.load(ordering: .acquiring) { endTask() }
  }

  /// Ends the task, once it isn't busy.
  func end() {
    hasEnded.store(true, ordering: .releasing)
    endTask()
  }

  private func endTask() {
    if isBusy.exchange(true, ordering: .acquiring) { return }
    unsafe continuation.take()?.resume()
  }
}
