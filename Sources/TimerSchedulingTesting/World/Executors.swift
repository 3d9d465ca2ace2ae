import Dispatch
import TimerScheduling

#if os(Linux)
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency
#endif

/// How the jobs of the process come to the worlds of its virtual clocks.
///
/// On Linux, Swift lets a process replace its main and its global executor. Proxies take their place. They
/// give a job of a world to the world, and any other to the executor that was there before. So each job is
/// seen, and each sleep of the standard clocks. The first clock of a process makes them. A job of the main
/// actor that is under way at that moment runs on another executor than Swift's functions expect from then
/// on, so it is suspended once where it calls a function of the main actor.
///
/// Other platforms have only the runtime's hook of the global executor. Jobs of the main actor, and of tasks
/// that yield, go past it. There a world that seems to be at rest waits until the main actor and the global
/// executor have each run one further job.
enum Executors {
  /// Whether worlds see all jobs. False also in a process whose environment says so, for tests of that case.
  static var seeAllJobs: Bool {
    #if os(Linux)
    useProxies
    #else
    false
    #endif
  }

  /// Begins to give jobs to worlds. Every world refers to this before it takes jobs.
  static let installed: Void = {
    #if os(Linux)
    if useProxies {
      // Made first, as each keeps the executor that it replaces.
      _ = (ProxyFactory.mainExecutor, ProxyFactory.defaultExecutor)
      _createExecutors(factory: ProxyFactory.self)
    }
    #endif
    // Some jobs go past the proxies, to the function that has this hook.
    Runtime.hookGlobalExecutor { job, enqueue in
      if !World.take(job) { enqueue(job) }
    }
    _ = Runtime.parts
  }()

  #if os(Linux)
  /// The executor that takes the place of the global one. The tasks of a world that explores orders prefer
  /// it.
  static var global: any TaskExecutor { ProxyFactory.global }
  #endif

  /// Enqueues a job after a delay in real time.
  static func enqueue(_ job: UnownedJob, after delay: Duration) {
    #if os(Linux)
    ProxyFactory.global.scheduling.enqueue(
      ExecutorJob(job), after: delay, tolerance: nil, clock: ContinuousClock())
    #endif
  }
}

#if os(Linux)
extension Executors {
  fileprivate static let useProxies = !Runtime.hasVariable("TIMER_SCHEDULING_WITHOUT_PROXIES")
}

private struct ProxyFactory: ExecutorFactory {
  static let mainExecutor: any MainExecutor = MainProxy()
  static let global = GlobalProxy()
  static var defaultExecutor: any TaskExecutor { global }
}

private final class MainProxy: MainExecutor {
  private let original = MainActor.executor

  func run() throws { try original.run() }
  func stop() { original.stop() }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if World.take(job, isMain: true) { return }
    DispatchQueue.main.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(.main)) }
}

private final class GlobalProxy: TaskExecutor, SchedulingExecutor {
  private let original = Task<Never, Never>.defaultExecutor

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if !World.take(job) { original.enqueue(job) }
  }

  func enqueue<C: Clock>(
    _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
  ) {
    let job = UnownedJob(job)
    if let delay = delay as? Duration, World.sleep(job, for: delay) { return }
    scheduling.enqueue(ExecutorJob(job), after: delay, tolerance: tolerance, clock: clock)
  }

  func enqueue<C: Clock>(
    _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
  ) {
    let job = UnownedJob(job)
    if let delay = clock.now.duration(to: instant) as? Duration, World.sleep(job, for: delay) { return }
    scheduling.enqueue(ExecutorJob(job), at: instant, tolerance: tolerance, clock: clock)
  }

  fileprivate var scheduling: any SchedulingExecutor {
    guard let scheduling = original as? any SchedulingExecutor else {
      preconditionFailure("Swift's global executor runs no job after a delay.")
    }
    return scheduling
  }
}
#endif
