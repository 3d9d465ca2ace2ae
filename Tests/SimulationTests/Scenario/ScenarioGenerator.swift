import TestSupport
import TimerScheduling

/// Draws a scenario. It performs it on the reference meanwhile, to choose useful operations.
struct ScenarioGenerator {
  /// The ways in which the wall clock is set.
  enum WallClockSteps { case none, forward, both }

  var random: SeededGenerator
  private(set) var reference = Reference()
  private var operations: [Operation] = []
  private var lastNumber = 0
  /// The owners' places.
  let places = 0..<2
  let names = ["a", "b"]

  /// A scenario's typical interval, from a millisecond to ten minutes.
  let unit: Int64
  let wallClockSteps: WallClockSteps
  /// Whether consumers may be ready at the very moment of a deadline, if their order makes no difference
  /// then. It does for timers that are paused.
  let hasRoundSleeps: Bool
  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    let milliseconds = [1, 10, 100, 1_000, 1_000, 7_000, 60_000, 600_000] as [Int64]
    unit = 1_000_000 * milliseconds[Int.random(in: milliseconds.indices, using: &random)]
    wallClockSteps = random.choose([(4, .none), (3, .forward), (3, .both)])
    hasRoundSleeps = random.chance(50)
  }

  mutating func generate() -> [Operation] {
    for _ in 0..<Int.random(in: 2...4, using: &random) { make() }
    for _ in 0..<Int.random(in: 10...40, using: &random) { step() }
    if random.chance(30) {
      perform(.shutDown)
      make()
      for _ in 0..<Int.random(in: 2...8, using: &random) { step() }
    }
    return operations
  }

  private mutating func perform(_ operation: Operation) {
    reference.apply(operation)
    operations.append(operation)
  }

  mutating func number() -> Int {
    lastNumber += 1
    return lastNumber
  }

  // MARK: One after another

  private mutating func step() {
    let step: (inout Self) -> Void = random.choose([
      (30, { $0.advance() }), (8, { $0.make() }), (30, { $0.control() }), (8, { $0.listen() }),
      (4, { $0.stall() }),
      (wallClockSteps == .none ? 0 : 8, { $0.setWallClock() }), (5, { $0.part() }), (5, { $0.find() }),
      (2, { $0.controlMany() }),
    ])
    step(&self)
  }

  private mutating func make() {
    let blueprint = blueprint()
    perform(.make(timer: number(), blueprint))
  }

  private mutating func advance() {
    perform(.advance(duration()))
  }

  /// Stalls only as long as the order is clear: a consumer that would be ready during the stall may come
  /// before the timer or after it.
  private mutating func stall() {
    let duration = duration()
    let limit = reference.nextAwakening.map { $0 - reference.clocks.monotonic - 1 } ?? .max
    if limit > 0 { perform(.stall(min(duration, limit))) }
  }

  private mutating func setWallClock() {
    // The scheduler ignores a change that may be a correction, or changes that add up to one.
    let least: Int64 = 20_000_000
    let step = max(length(upTo: random.chance(80) ? 10 : 100) / least, 1) * least
    perform(.setWallClock(by: wallClockSteps == .both && random.chance(50) ? -step : step))
  }

  private mutating func listen() {
    guard let timer = anyTimer(), let joined = reference.timers[timer] else { return }
    // During a pause a rule isn't asked which dates came before it, and so before a listener.
    if joined.plan.isByRule, joined.pausedSince != nil { return }
    let busyTimes = self.busyTimes()
    perform(.listen(timer: timer, consumer: number(), busyTimes))
  }

  private mutating func part() {
    let consumers = reference.timers.values.flatMap(\.consumers)
    let present = consumers.filter { !$0.isAction && $0.activity != .gone }.map(\.number).sorted()
    if random.chance(70), let consumer = present.randomElement(using: &random) {
      perform(.leave(consumer: consumer))
    } else if let timer = anyTimer() {
      perform(.drop(timer: timer))
    }
  }

  private mutating func find() {
    perform(.find(name()))
  }

  private mutating func control() {
    guard let timer = anyTimer() else { return make() }
    // A paused timer is mostly resumed.
    let isPaused = reference.timers[timer]?.state == .paused
    let hasScope = (reference.timers[timer]?.scopeCount ?? 0) > 0
    let behavior = resumeBehavior()
    let plan = self.plan()
    perform(
      random.choose([
        (isPaused ? 4 : 25, .pause(timer: timer)), (isPaused ? 40 : 3, .resume(timer: timer, behavior)),
        (isPaused ? 3 : 10, .beginScope(timer: timer)), (hasScope ? 40 : 0, .endScope(timer: timer)),
        (18, .fire(timer: timer)), (10, .reschedule(timer: timer, plan)), (5, .cancel(timer: timer)),
      ]))
  }

  private mutating func controlMany() {
    let behavior = resumeBehavior()
    let place = places.randomElement(using: &random) ?? 0
    let canPause = hasRoundSleeps ? 0 : 1
    // When an owner dies as an action returns, only a check detects it, unless the owner reports its end
    // itself.
    let canRelease = !reference.hasRunningAction(ofOwnerAt: place) || !Run.isWatched(place) ? 1 : 0
    perform(
      random.choose([
        (3 * canPause, .pauseAll), (4 * canPause, .resumeAll(behavior)), (1, .cancelAll(owner: place)),
        (3 * canRelease, .releaseOwner(place)),
      ]))
  }

  /// A timer the test has a handle of, mostly a live one.
  private mutating func anyTimer() -> Int? {
    let held = reference.timers.filter { $0.value.isHeld }
    let live = held.filter { !$0.value.isFinished }
    return (random.chance(95) ? live : held).keys.sorted().randomElement(using: &random)
  }
}
