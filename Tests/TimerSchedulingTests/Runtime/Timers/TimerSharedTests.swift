import Testing
import TimerScheduling

/// The runs of an action, as its timer keeps them: a first run without memory of its own, later ones with it.
@Suite struct TimerSharedTests {
  /// A timer before its first or its second run.
  enum Stage: CaseIterable { case first, second }

  private static func timer(at stage: Stage) -> TimerShared {
    let now = ClockReading(monotonic: Deadline(nanoseconds: 0), wall: Deadline(nanoseconds: 0))
    let schedule = BoundSchedule(
      .every(1), defaultTolerance: .zero, jitterSeed: 1, at: now.monotonic, reading: now)
    var timer = TimerShared(
      machine: TimerStateMachine(schedule, at: now), action: TimerAction { _ in }, onError: .keepTicking)
    if stage == .second {
      _ = timer.beginRun()
      _ = timer.endRun()
    }
    return timer
  }

  private static func task() -> Task<Void, Never> { Task {} }

  @Test func `Runs are numbered from one`() {
    var timer = Self.timer(at: .first)
    for number: UInt64 in 1...3 {
      let (begun, running) = (timer.beginRun(), timer.run)
      #expect(begun == number)
      #expect(running == number)
      _ = timer.endRun()
      let isRunning = timer.isRunning
      #expect(!isRunning)
    }
  }

  @Test(arguments: Stage.allCases) func `A run is cancelled in its task`(_ stage: Stage) {
    var timer = Self.timer(at: stage)
    let number = timer.beginRun()
    let isToBeCancelled = timer.keep(Self.task(), ofRun: number)
    #expect(!isToBeCancelled)
    let task = timer.cancelRun()
    #expect(task != nil)
  }

  @Test(arguments: Stage.allCases)
  func `A run that is cancelled before its task is known is cancelled once it is`(_ stage: Stage) {
    var timer = Self.timer(at: stage)
    let number = timer.beginRun()
    let task = timer.cancelRun()
    #expect(task == nil)
    let isToBeCancelled = timer.keep(Self.task(), ofRun: number)
    #expect(isToBeCancelled)
  }

  @Test(arguments: Stage.allCases)
  func `The end of a run says whether its task is cancelled, and the next run isn't`(_ stage: Stage) {
    var timer = Self.timer(at: stage)
    let number = timer.beginRun()
    _ = timer.keep(Self.task(), ofRun: number)
    _ = timer.cancelRun()
    let isCancelled = timer.endRun()
    #expect(isCancelled)
    let next = timer.beginRun()
    let isNextToBeCancelled = timer.keep(Self.task(), ofRun: next)
    #expect(!isNextToBeCancelled)
    let isNextCancelled = timer.endRun()
    #expect(!isNextCancelled)
  }

  @Test(arguments: Stage.allCases)
  func `The task of a run that has ended isn't taken for that of the next`(_ stage: Stage) {
    var timer = Self.timer(at: stage)
    let ended = timer.beginRun()
    _ = timer.endRun()
    _ = timer.beginRun()
    _ = timer.keep(Self.task(), ofRun: ended)
    let task = timer.cancelRun()
    #expect(task == nil)
  }

  @Test func `Nothing is cancelled while no run is under way`() {
    var timer = Self.timer(at: .first)
    let task = timer.cancelRun()
    #expect(task == nil)
    let number = timer.beginRun()
    let isToBeCancelled = timer.keep(Self.task(), ofRun: number)
    #expect(!isToBeCancelled)
  }

  @Test(arguments: [false, true])
  func `A run goes on in its task when the timer takes memory for more`(isCancelled: Bool) {
    var timer = Self.timer(at: .first)
    let number = timer.beginRun()
    _ = timer.keep(Self.task(), ofRun: number)
    if isCancelled { _ = timer.cancelRun() }
    _ = timer.fail(CancellationError(), counting: false)
    let run = timer.run
    #expect(run == number)
    let task = timer.cancelRun()
    #expect(task != nil)
    let wasCancelled = timer.endRun()
    #expect(wasCancelled)
  }
}
