/// Checks that the timing wheel agrees with a sorted array after any insertions and removals.
func fuzzWheel(_ input: inout FuzzInput) {
  var run = WheelRun()
  while !input.isEmpty { run.step(&input) }
  run.pop(at: .never)
  require(run.isEmpty, "Something never popped")
}

private struct WheelRun: ~Copyable {
  private struct Entry {
    var number: Int
    var deadline: Deadline
    var latest: Deadline
    var index: UInt32
  }

  private var queue = DeadlineQueue<Int>()
  /// By latest moment, and in the order of insertion where that is equal.
  private var model: [Entry] = []
  private var now = Deadline(nanoseconds: 0)
  private var insertedCount = 0
  /// Whether a wakeup may be too early, as something was removed.
  private var mayWakeEarly = false

  var isEmpty: Bool { queue.isEmpty && model.isEmpty }

  mutating func step(_ input: inout FuzzInput) {
    switch input.number(below: 8) {
    case 0...2: insert(&input)
    case 3: if !model.isEmpty { remove(at: input.number(below: 256) % model.count) }
    case 4: pop(at: now + Interval(nanoseconds: input.magnitude()))
    case 5: if let wakeup = queue.nextWakeup(on: .monotonic) { pop(at: wakeup) }
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
    let index = queue.add(insertedCount)
    let filing = Filing(timeline: .monotonic, deadline: deadline, latest: latest)
    queue.file(index, filing, number: UInt64(insertedCount))
    trace("inserts \(insertedCount) at \(deadline), at \(latest) the latest")
    let position = model.firstIndex { $0.latest > latest } ?? model.count
    model.insert(
      Entry(number: insertedCount, deadline: deadline, latest: latest, index: index), at: position)
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
    let removed = queue.remove(entry.index)
    require(removed == entry.number, "Removing \(entry.number) removed \(removed)")
    mayWakeEarly = !model.isEmpty
  }

  private mutating func removeAll() {
    let numbers = model.map { queue.remove($0.index) }
    require(numbers == model.map(\.number), "Emptying removed \(numbers)")
    require(queue.isEmpty && queue.filedCount == 0, "Emptying has left elements")
    model = []
    mayWakeEarly = false
  }

  mutating func pop(at time: Deadline) {
    trace("pops what is due at \(time)")
    now = time
    while let first = model.first, first.deadline <= now {
      let popped = popExpired()
      require(popped == first.number, "At \(now) popped \(popped as Int?), not \(first.number)")
      model.removeFirst()
    }
    let popped = popExpired()
    require(popped == nil, "At \(now) popped \(popped as Int?), which isn't due or isn't first")
    if model.isEmpty { mayWakeEarly = false }
  }

  private mutating func popExpired() -> Int? {
    queue.takeExpired(on: .monotonic, at: now).map { queue.remove($0.index) }
  }

  private mutating func check() {
    require(queue.count == model.count, "The wheel counts \(queue.count), not \(model.count)")
    require(queue.invariantsHold(), "An invariant doesn't hold")
    // Asking changes the wheel, so half of the time it isn't asked.
    guard insertedCount.isMultiple(of: 2) else { return }
    let (wakeup, latest) = (queue.nextWakeup(on: .monotonic), model.first?.latest)
    if mayWakeEarly, let wakeup, let latest, wakeup <= latest { return }
    require(wakeup == latest, "The wheel wakes at \(wakeup as Deadline?), not at \(latest as Deadline?)")
  }
}
