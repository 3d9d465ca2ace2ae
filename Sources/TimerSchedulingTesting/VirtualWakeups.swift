import TimerScheduling

/// The wakeups that schedulers have asked for, on both clocks.
///
/// - Complexity: Asking for a wakeup is O(1). Taking one that is due is O(log m), where m is the number of those that are
///   due at the same moment. Schedulers whose wakeups are still to come cost nothing.
struct VirtualWakeups: ~Copyable {
  /// A wakeup that a scheduler has asked for.
  struct Wakeup: Sendable {
    let timeline: Timeline
    let deadline: Deadline
    let deliver: @Sendable () -> Void
    /// Its scheduler's place in the order in which schedulers were made.
    let number: UInt64

    /// A deadline at the end of the clock's range never comes.
    func isDue(at now: ClockReading) -> Bool { deadline <= now[timeline] && deadline < .never }

    /// In the same order in every run: by scheduler, and the monotonic clock first.
    func comes(before other: Wakeup) -> Bool {
      if number != other.number { return number < other.number }
      return timeline == .monotonic && other.timeline == .wall
    }
  }

  private enum Place {
    case waiting(TimingWheel<ObjectIdentifier>.Handle)
    /// Was found to be due, and waits for its turn.
    case due
  }

  private struct Entry {
    let wakeup: Wakeup
    var place: Place
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  private var monotonic = TimingWheel<ObjectIdentifier>()
  private var wall = TimingWheel<ObjectIdentifier>()
  /// The sources of wakeups that were found to be due, the first one last. Some may have been changed since.
  private var due: [ObjectIdentifier] = []

  /// The number of times that a wakeup was looked at.
  private(set) var lookCount = 0

  var count: Int { entries.count }

  var isEmpty: Bool { entries.isEmpty }

  /// Asks for a wakeup in place of the one that `source` has asked for, or for none.
  mutating func set(_ wakeup: Wakeup?, for source: ObjectIdentifier) {
    if let entry = entries.removeValue(forKey: source), case .waiting(let handle) = entry.place {
      withWheel(on: entry.wakeup.timeline) { _ = $0.remove(handle) }
    }
    if let wakeup { file(wakeup, for: source) }
  }

  /// The first moment by the monotonic clock at which a wakeup may be due, or nil if none ever is.
  mutating func nextMoment(at now: ClockReading) -> Deadline? {
    if due.contains(where: { isDue($0, at: now) }) { return now.monotonic }
    return [moment(on: .monotonic, at: now), moment(on: .wall, at: now)].compactMap(\.self).min()
  }

  /// Takes out the first wakeup that is due, by its scheduler.
  mutating func takeDue(at now: ClockReading) -> Wakeup? {
    collectDue(on: .monotonic, at: now)
    collectDue(on: .wall, at: now)
    while let source = due.popLast() {
      lookCount += 1
      guard let entry = entries[source], case .due = entry.place else { continue }
      entries[source] = nil
      if entry.wakeup.isDue(at: now) { return entry.wakeup }
      // The wall clock was set back since the wakeup was found to be due.
      file(entry.wakeup, for: source)
    }
    return nil
  }

  // MARK: Steps

  private mutating func file(_ wakeup: Wakeup, for source: ObjectIdentifier) {
    let handle = withWheel(on: wakeup.timeline) {
      $0.insert(source, deadline: wakeup.deadline, latest: wakeup.deadline)
    }
    entries[source] = Entry(wakeup: wakeup, place: .waiting(handle))
  }

  private func isDue(_ source: ObjectIdentifier, at now: ClockReading) -> Bool {
    guard let entry = entries[source], case .due = entry.place else { return false }
    return entry.wakeup.isDue(at: now)
  }

  private mutating func moment(on timeline: Timeline, at now: ClockReading) -> Deadline? {
    guard let deadline = withWheel(on: timeline, { $0.nextWakeup() }), deadline < .never else { return nil }
    if deadline <= now[timeline] { return now.monotonic }
    let moment = now.monotonic + (deadline - now[timeline])
    return moment < .never ? moment : nil
  }

  /// Moves what is due on one clock to the others that are due, in order.
  private mutating func collectDue(on timeline: Timeline, at now: ClockReading) {
    let now = min(now[timeline], .last)
    var isSorted = true
    while let source = withWheel(on: timeline, { $0.popExpired(at: now) }) {
      lookCount += 1
      entries[source]?.place = .due
      due.append(source)
      isSorted = due.count == 1
    }
    guard !isSorted else { return }
    let wakeups = entries
    due.removeAll { source in wakeups[source].map { if case .due = $0.place { false } else { true } } ?? true
    }
    due.sort { left, right in
      guard let left = wakeups[left]?.wakeup, let right = wakeups[right]?.wakeup else { return false }
      return right.comes(before: left)
    }
  }

  private mutating func withWheel<Result>(
    on timeline: Timeline, _ body: (inout TimingWheel<ObjectIdentifier>) -> Result
  ) -> Result {
    switch timeline {
    case .monotonic: body(&monotonic)
    case .wall: body(&wall)
    }
  }
}
