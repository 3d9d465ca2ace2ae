/// Checks that a queue of deadlines agrees with a sorted array after any insertions and removals.
func fuzzWheel(_ input: inout FuzzInput) {
  var run = WheelRun()
  while !input.isEmpty { run.step(&input) }
  run.pop(at: .never)
  // The entries that are left never come.
  run.removeAll()
}

private struct WheelRun: ~Copyable {
  private struct Entry {
    var number: Int
    var deadline: Deadline
    var latest: Deadline
    var place: Filing.Place
  }

  private struct Item: QueueEntry {
    let number: Int
    var ends: UInt64 { 0 }
    var isLimit: Bool { false }
  }

  private let queue = DeadlineQueue<Item> { _ in Deadline(nanoseconds: 0) }
  /// By latest moment, and in the order of insertion where that is equal.
  private var model: [Entry] = []
  private var now = Deadline(nanoseconds: 0)
  private var insertedCount = 0
  /// Whether a wakeup may be too early, as something was removed.
  private var mayWakeEarly = false

  mutating func step(_ input: inout FuzzInput) {
    switch input.number(below: 8) {
    case 0...2: insert(&input)
    case 3: if !model.isEmpty { remove(at: input.number(below: 256) % model.count) }
    case 4: pop(at: now + Interval(nanoseconds: input.magnitude()))
    case 5: pop(at: wakeup)
    // The wall clock is set.
    case 6: pop(at: input.deadline())
    default: if input.byte() == 0 { removeAll() }
    }
    check()
  }

  private mutating func insert(_ input: inout FuzzInput) {
    let deadline =
      switch input.number(below: 4) {
      case 0: input.deadline()
      // On a border between slots of some level, or beside it.
      case 1:
        border(input.magnitude(), level: input.number(below: 8), beside: Int64(input.number(below: 3)) - 1)
      default: now + Interval(nanoseconds: input.magnitude())
      }
    let latest = input.bool() ? deadline + Interval(nanoseconds: input.magnitude()) : deadline
    let filing = Filing(timeline: .monotonic, deadline: deadline, latest: latest)
    guard let place = queue.add(Item(number: insertedCount), filing, number: UInt64(insertedCount))?.place
    else { return require(false, "The queue takes no entry") }
    trace("inserts \(insertedCount) at \(deadline), at \(latest) the latest")
    let position = model.firstIndex { $0.latest > latest } ?? model.count
    model.insert(
      Entry(number: insertedCount, deadline: deadline, latest: latest, place: place), at: position)
    insertedCount += 1
  }

  private func border(_ distance: Int64, level: Int, beside offset: Int64) -> Deadline {
    let bits = 20 + 6 * level
    let moment = (now + Interval(nanoseconds: distance)).nanoseconds
    return Deadline(nanoseconds: (moment >> bits) << bits) + Interval(nanoseconds: offset)
  }

  private mutating func remove(at position: Int) {
    let entry = model.remove(at: position)
    trace("removes \(entry.number)")
    let removed = queue.entry(in: entry.place)?.number
    _ = queue.remove(entry.place)
    require(removed == entry.number, "Removing \(entry.number) removed \(removed as Int?)")
    mayWakeEarly = !model.isEmpty
  }

  mutating func removeAll() {
    for entry in model { _ = queue.remove(entry.place) }
    require(queue.counts == (0, 0), "Emptying has left entries")
    model = []
    mayWakeEarly = false
  }

  mutating func pop(at time: Deadline) {
    trace("pops what is due at \(time)")
    now = time
    var due = queue.takeDue(on: .monotonic, at: now)
    while let first = model.first, first.deadline <= min(now, .last) {
      let popped = due.next()?.number
      require(popped == first.number, "At \(now) popped \(popped as Int?), not \(first.number)")
      _ = queue.remove(first.place)
      model.removeFirst()
    }
    let popped = due.next()?.number
    require(popped == nil, "At \(now) popped \(popped as Int?), which isn't due or isn't first")
    if model.isEmpty { mayWakeEarly = false }
  }

  private var wakeup: Deadline {
    queue.publishFirst()
    return queue.first(on: .monotonic)
  }

  private mutating func check() {
    let count = queue.counts.entries
    require(count == model.count, "The queue counts \(count), not \(model.count)")
    require(queue.invariantsHold, "An invariant doesn't hold")
    let latest = model.first?.latest ?? .never
    require(queue.first(on: .monotonic) <= latest, "The queue publishes a moment after \(latest)")
    // Looking changes the wheel, so half of the time it isn't done.
    guard insertedCount.isMultiple(of: 2) else { return }
    let wakeup = wakeup
    if mayWakeEarly, wakeup <= latest { return }
    require(wakeup == latest, "The queue wakes at \(wakeup), not at \(latest)")
  }
}
