import Synchronization

/// Owns any number of timers over a single dispatch timer, and exposes them as streams of tick dates.
///
/// ```swift
/// let scheduler = TimerScheduler()
/// for await tick in scheduler.ticks(every: 1) {
///   print(tick)
/// }
/// ```
///
/// Timers are made by synchronous calls, from anywhere. A timer keeps its scheduler alive for as long as
/// it lives itself; a scheduler without timers and without references is released. While no timer is due,
/// a scheduler doesn't wake the process.
///
/// The actor runs on the serial queue on which its dispatch timer fires. (Timers on the wall clock have a
/// second one, made for the first of them.) It drains the inbox, keeps the
/// registry and the deadlines, and fires the timers. What a timer does next is decided in its gate, which
/// it shares with its consumer.
public actor TimerScheduler {
  /// A scheduler for everybody, which lives as long as the process.
  public static let shared = TimerScheduler()

  private static let lastID = Atomic<UInt64>(0)

  package nonisolated let executor: QueueExecutor
  package nonisolated let clock: any SchedulerClock
  private nonisolated let defaultTolerance: Interval
  private nonisolated let jitterSeed: UInt64
  nonisolated let inbox = Inbox()
  private nonisolated let names = NameTable()

  var registry = TimerRegistry()
  /// Each lane is made for its first deadline, and with it the dispatch timer.
  var monotonicLane: DeadlineLane?
  var wallLane: DeadlineLane?
  /// How far the wall clock was ahead of the monotonic one, at most since it was last found set back.
  var wallLead: Interval?

  /// Creates a scheduler without timers.
  ///
  /// - Precondition: The configuration's tolerance isn't negative.
  public init(configuration: Configuration = Configuration()) {
    self.init(configuration: configuration, clock: SystemClock(), jitterSeed: .random(in: 0 ... .max))
  }

  /// Creates a scheduler on a clock of the caller's.
  package init(configuration: Configuration, clock: any SchedulerClock, jitterSeed: UInt64) {
    precondition(
      configuration.tolerance >= .zero,
      "A scheduler's tolerance must be zero or more, but \(configuration.tolerance) was given.")
    executor = QueueExecutor(label: configuration.label)
    self.clock = clock
    defaultTolerance = Interval(configuration.tolerance)
    self.jitterSeed = jitterSeed
  }

  /// The serial queue on which the scheduler's dispatch timer fires.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Makes a timer and posts it to the inbox.
  package nonisolated func makeTimer(on schedule: TimerSchedule, name: String?) -> TimerRecord {
    let id = Self.lastID.add(1, ordering: .relaxed).newValue
    let reading = clock.read()
    let machine = TimerStateMachine(
      Timetable(schedule.cadence, at: reading), options: schedule.options,
      defaultTolerance: defaultTolerance, jitterSeed: jitterSeed ^ (id &* 0x9E37_79B9_7F4A_7C15),
      at: reading)
    let record = TimerRecord(id: id, name: name, keeper: self, machine: machine)
    if let name { names.assign(name, to: record)?.finish(.replaced) }
    record.start()
    return record
  }
}

extension TimerScheduler {
  /// How many timers are registered.
  package var timerCount: Int { registry.count }

  /// How many names are taken.
  package nonisolated var nameCount: Int { names.count }
}

extension TimerScheduler: TimerKeeper {
  package nonisolated func look(at record: TimerRecord) {
    guard inbox.post(record) else { return }
    // The closure keeps the scheduler until it has looked.
    executor.async { [self] in assumeIsolated { $0.runPass() } }
  }

  package nonisolated func giveUp(_ name: String, of record: TimerRecord) {
    names.free(name, of: record)
  }
}
