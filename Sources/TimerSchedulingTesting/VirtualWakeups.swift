import TimerScheduling

/// The wakeups that schedulers have requested, on both clocks.
///
/// - Complexity: Requesting a wakeup is O(1). Taking a due one is O(log m), where m is the number of wakeups due at
///   the same moment. Schedulers whose wakeups aren't due yet cost nothing.
struct VirtualWakeups: ~Copyable {
  /// A wakeup that a scheduler has requested.
  struct Wakeup: Sendable {
    let timeline: Timeline
    let deadline: Deadline
    let deliver: @Sendable () -> Void
    /// The position of its scheduler in the order in which schedulers were made.
    let number: UInt64
    /// Whether a source of the scheduler has armed it. The others are passes and checks of owners.
    var isArmed = true

    /// Returns whether the wakeup is due. A deadline at the end of the clock's range is never due.
    func isDue(at now: ClockReading) -> Bool { deadline <= now[timeline] && deadline < .never }

    /// Returns whether this wakeup comes first. The order is the same in every run: by scheduler, with the monotonic
    /// clock first.
    func comes(before other: Wakeup) -> Bool {
      if number != other.number { return number < other.number }
      return timeline == .monotonic && other.timeline == .wall
    }
  }

  private enum Place {
    case waiting(UInt32)
    /// Found to be due, and waiting for its turn.
    case due
  }

  private struct Entry {
    let wakeup: Wakeup
    var place: Place
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  private var queue = DeadlineQueue<ObjectIdentifier>()
  /// The sources of wakeups found to be due, the first one last. Some wakeups may have changed since.
  private var due: [ObjectIdentifier] = []

  /// The number of times a wakeup was examined.
  private(set) var lookCount = 0

  /// The number of wakeups that sources have armed.
  var armedCount: Int { entries.values.count { $0.wakeup.isArmed } }

  var isEmpty: Bool { entries.isEmpty }

  /// Replaces the wakeup that `source` has requested, or removes it.
  mutating func set(_ wakeup: Wakeup?, for source: ObjectIdentifier) {
    if let entry = entries.removeValue(forKey: source), case .waiting(let index) = entry.place {
      queue.remove(index)
    }
    if let wakeup { file(wakeup, for: source) }
  }

  /// Adds a wakeup, unless `source` has one.
  mutating func addIfNone(_ wakeup: Wakeup, for source: ObjectIdentifier) {
    if entries[source] == nil { file(wakeup, for: source) }
  }

  /// Returns the first moment on the monotonic clock at which a wakeup may be due, or nil if there is none.
  mutating func nextMoment(at now: ClockReading) -> Deadline? {
    if due.contains(where: { isDue($0, at: now) }) { return now.monotonic }
    return [moment(on: .monotonic, at: now), moment(on: .wall, at: now)].compactMap(\.self).min()
  }

  /// Removes and returns the first due wakeup in the order of schedulers.
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
    let filing = Filing(timeline: wakeup.timeline, deadline: wakeup.deadline, latest: wakeup.deadline)
    entries[source] = Entry(wakeup: wakeup, place: .waiting(queue.insert(source, filing)))
  }

  private func isDue(_ source: ObjectIdentifier, at now: ClockReading) -> Bool {
    guard let entry = entries[source], case .due = entry.place else { return false }
    return entry.wakeup.isDue(at: now)
  }

  private mutating func moment(on timeline: Timeline, at now: ClockReading) -> Deadline? {
    guard let deadline = queue.nextWakeup(on: timeline), deadline < .never else { return nil }
    if deadline <= now[timeline] { return now.monotonic }
    let moment = now.monotonic + (deadline - now[timeline])
    return moment < .never ? moment : nil
  }

  /// Adds the due wakeups of one clock to those found to be due, and sorts them.
  private mutating func collectDue(on timeline: Timeline, at now: ClockReading) {
    let now = min(now[timeline], .last)
    var isSorted = true
    while let source = queue.popExpired(on: timeline, at: now) {
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
}
