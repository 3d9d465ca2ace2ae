/// A queue of elements, each to be popped between its deadline and the latest moment allowed.
///
/// A hierarchical timing wheel (Varghese and Lauck, 1987, scheme 7) whose current slot feeds a small
/// exact queue:
///
///     levels 2 … 7   64 times as long each time, up to 146 years a slot
///     level 1        64 slots of 67 ms  ──┐ cascades when its time has come
///     level 0        64 slots of 1.05 ms ─┴─▶ near queue, exact to the nanosecond
///
/// A new entry goes to the level of the highest digit in which its latest moment differs from the
/// cursor, so an entry moves at most eight times before it is popped. Entries live in one array and
/// are linked by index; a slot is the head of a list.
///
/// Entries pop in the order of their latest moments, and those of equal latest moments in the order in
/// which they were inserted. An entry without tolerance has one moment only, its deadline.
///
/// - Complexity: Inserting and removing are O(1), and popping is O(log m), where m is what is due in the same
///   millisecond.
package struct TimingWheel<Element> {
  /// Names an entry from its insertion until it is removed or popped.
  package struct Handle: Sendable, Hashable {
    package let index: UInt32

    package init(index: UInt32) { self.index = index }
  }

  private struct Entry {
    /// Nil while the entry is free; `next` then links the free list.
    var element: Element?
    var deadline: Deadline
    var latest: Deadline
    /// Unique for each insertion, so it orders equals and tells a stale near entry.
    var sequence: UInt64
    var previous = UInt32.max
    var next = UInt32.max
  }

  private static var none: UInt32 { .max }
  /// A slot of level 0 is 2²⁰ ns long: the near queue holds what is due within one millisecond.
  private static var slotBits: UInt64 { 20 }

  private var entries: [Entry] = []
  private var firstFree = Self.none
  private var slots = WheelSlots()
  private var near = NearQueue()
  /// The slot number up to which entries belong to the near queue.
  private var cursor: UInt64 = 0
  private var nextSequence: UInt64 = 0
  /// The time the queue was last told.
  private var now = Deadline(nanoseconds: 0)
  /// The number of entries that have come to the near queue only because the cursor is ahead of the time.
  private var aheadCount = 0

  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// All elements, in no particular order.
  package var elements: [Element] { entries.compactMap(\.element) }

  // MARK: Operations

  /// Tells an empty queue the time, from which entries are then as far away as they are.
  ///
  /// Else they are all in the same slot of a high level, until the first of them is due.
  package mutating func start(at now: Deadline) {
    assert(isEmpty)
    self.now = now
    startAfresh()
  }

  /// Adds an element to be popped at `deadline` or, at the latest, at `latest`.
  package mutating func insert(_ element: Element, deadline: Deadline, latest: Deadline) -> Handle {
    assert(deadline <= latest)
    let entry = Entry(element: element, deadline: deadline, latest: latest, sequence: nextSequence)
    nextSequence += 1
    count += 1
    let index: UInt32
    if firstFree != Self.none {
      index = firstFree
      firstFree = entries[Int(index)].next
      entries[Int(index)] = entry
    } else {
      index = UInt32(entries.count)
      entries.append(entry)
    }
    if !place(index) { insertedIntoNear(latest) }
    return Handle(index: index)
  }

  /// Takes an entry out before its time.
  @discardableResult
  package mutating func remove(_ handle: Handle) -> Element {
    let index = Int(handle.index)
    let wasListed = unlink(index)
    let element = free(index)
    if !wasListed { compactNearIfNeeded() }
    return element
  }

  /// Removes and returns the first entry, unless its deadline lies after `now`.
  package mutating func popExpired(at now: Deadline) -> Element? {
    self.now = now
    while true {
      if let top = firstNear() {
        let index = Int(top.index)
        guard entries[index].deadline <= now else { return nil }
        near.removeFirst()
        return free(index)
      }
      guard let slot = slots.first, slots[slot].earliestDeadline <= now else { return nil }
      cascade(slot)
    }
  }

  /// The moment at which the first entry must be popped, or nil when there is none.
  ///
  /// May be too early, never too late, after the first entry was removed. Popping then finds nothing, but
  /// moves the cursor, so there are at most as many of these as there are levels.
  package mutating func nextWakeup() -> Deadline? {
    if let top = firstNear() { return top.latest }
    return slots.first.map { slots[$0].earliestLatest }
  }

  /// Empties the queue and returns what it held, in no particular order.
  package mutating func removeAll() -> [Element] {
    let elements = elements
    self = TimingWheel()
    return elements
  }

  // MARK: Placement

  /// Order-preserving: flipping the sign bit makes times before the clock's zero come first.
  private static func slotNumber(of deadline: Deadline) -> UInt64 {
    (UInt64(bitPattern: deadline.nanoseconds) ^ (1 << 63)) >> slotBits
  }

  /// The slot that lists an entry, or nil if it belongs to the near queue.
  ///
  /// The cursor doesn't change it before it comes to the slot, and then the entries move on.
  private func slot(for latest: Deadline) -> Int? {
    let number = Self.slotNumber(of: latest)
    guard number > cursor else { return nil }
    let level = (63 - (number ^ cursor).leadingZeroBitCount) / 6
    let position = Int(number >> UInt64(6 * level)) & (WheelSlots.slotsPerLevel - 1)
    return level * WheelSlots.slotsPerLevel + position
  }

  /// Lists an entry in its slot. Returns false if it went to the near queue.
  @discardableResult
  private mutating func place(_ index: UInt32) -> Bool {
    // Field by field: a copy of the entry would retain its element.
    let latest = entries[Int(index)].latest
    guard let slot = slot(for: latest) else {
      near.insert(NearQueue.Entry(latest: latest, sequence: entries[Int(index)].sequence, index: index))
      return false
    }
    let head = slots.add(index, to: slot, deadline: entries[Int(index)].deadline, latest: latest)
    entries[Int(index)].previous = Self.none
    entries[Int(index)].next = head
    if head != Self.none { entries[Int(head)].previous = index }
    return true
  }

  /// Returns false for an entry of the near queue, which recognizes it as removed later.
  private mutating func unlink(_ index: Int) -> Bool {
    guard let slot = slot(for: entries[index].latest) else {
      near.noteRemoval()
      return false
    }
    let (previous, next) = (entries[index].previous, entries[index].next)
    if next != Self.none { entries[Int(next)].previous = previous }
    if previous != Self.none {
      entries[Int(previous)].next = next
    } else if next != Self.none {
      slots.setHead(next, of: slot)
    } else {
      slots.clear(slot)
    }
    return true
  }

  private mutating func free(_ index: Int) -> Element {
    guard let element = entries[index].element.take() else {
      preconditionFailure("The handle names an entry that was removed or popped before.")
    }
    entries[index].sequence = .max
    entries[index].next = firstFree
    firstFree = UInt32(index)
    count -= 1
    if count == 0 { startAfresh() }
    return element
  }

  /// Brings the cursor back from where a long tolerance may have led it, and gives memory back once a large
  /// queue has emptied.
  private mutating func startAfresh() {
    near.removeAll()
    cursor = Self.slotNumber(of: now)
    aheadCount = 0
    guard entries.count > 4096 else { return }
    entries = []
    firstFree = Self.none
  }

  // MARK: The cursor

  /// A new entry went to the near queue.
  ///
  /// After an entry with a long tolerance was popped, the cursor is ahead of the time. New entries then go to the near
  /// queue although they are far away. Once these are more than half of all entries, the cursor is brought back and
  /// every entry is placed anew, which takes O(1) for each of the new ones.
  @inline(never)
  private mutating func insertedIntoNear(_ latest: Deadline) {
    guard Self.slotNumber(of: latest) > Self.slotNumber(of: now) else { return }
    aheadCount += 1
    guard aheadCount > count / 2 + 64 else { return }
    aheadCount = 0
    near.removeAll()
    slots = WheelSlots()
    cursor = Self.slotNumber(of: now)
    for index in entries.indices where entries[index].element != nil { place(UInt32(index)) }
  }

  // MARK: The passage of time

  /// The first live entry of the near queue, which drops those that were removed before it.
  private mutating func firstNear() -> NearQueue.Entry? {
    compactNearIfNeeded()
    while let top = near.first() {
      if entries[Int(top.index)].sequence == top.sequence { return top }
      near.dropFirst()
    }
    return nil
  }

  private mutating func compactNearIfNeeded() {
    if near.shouldCompact { near.compact { entries[Int($0.index)].sequence == $0.sequence } }
  }

  /// Moves the cursor to the start of the first occupied slot and its entries to the levels below.
  private mutating func cascade(_ slot: Int) {
    let level = UInt64(slot / WheelSlots.slotsPerLevel)
    let position = UInt64(slot % WheelSlots.slotsPerLevel)
    let above = 6 * (level + 1)
    cursor = ((cursor >> above) << above) | (position << (6 * level))
    var next = slots[slot].head
    slots.clear(slot)
    while next != Self.none {
      let index = next
      next = entries[Int(index)].next
      place(index)
    }
  }
}

extension TimingWheel {
  /// The number of entries of the near queue, with those that were removed and are still in place.
  package var nearCount: Int { near.count }

  /// What every operation keeps true. Visits every entry; tests ask it after each step.
  package func invariantsHold() -> Bool {
    var listed = 0
    for slot in 0..<WheelSlots.levelCount * WheelSlots.slotsPerLevel where slots.isOccupied(slot) {
      guard slots[slot].head != Self.none else { return false }
      var index = slots[slot].head
      var previous = Self.none
      while index != Self.none {
        let entry = entries[Int(index)]
        guard entry.element != nil, self.slot(for: entry.latest) == slot, entry.previous == previous,
          slots[slot].earliestDeadline <= entry.deadline, slots[slot].earliestLatest <= entry.latest
        else { return false }
        listed += 1
        previous = index
        index = entry.next
      }
    }
    let inNear = entries.count { $0.element != nil && slot(for: $0.latest) == nil }
    return listed + inNear == count && near.liveCount == inNear
  }
}
