/// The deadlines on one clock, each to be taken between its deadline and its latest moment.
///
/// A hierarchical timing wheel (Varghese and Lauck, 1987, scheme 7), of which the current slot feeds an exact
/// queue:
///
///     levels 2 … 7   64 times as long each time, up to 146 years a slot
///     level 1        64 slots of 67 ms  ──┐ cascades when its time has come
///     level 0        64 slots of 1.05 ms ─┴─▶ near queue, exact to the nanosecond
///
/// A new entry goes to the level of the highest digit in which its latest moment differs from the cursor, so
/// an entry moves at most eight times before it is taken. Entries are slots of a slab, which is passed to
/// each call, and are linked by index. They are taken in the order of their latest moments and, where these
/// are equal, of their numbers. Filing and unfiling are O(1). Among the m entries of the current millisecond,
/// filing and taking are O(log m).
package struct TimingWheel<Element: Sendable>: ~Copyable, Sendable {
  struct Expired: Sendable {
    let latest: Deadline
    let number: UInt64
    let element: Element
  }

  /// A slot of level 0 is 2²⁰ ns long: the near queue holds the entries due within one millisecond.
  private static var slotBits: UInt64 { 20 }
  package static var none: UInt32 { .max }

  package private(set) var slots = Slots()
  package private(set) var near = NearQueue()
  /// The slot number up to which entries belong to the near queue.
  private var cursor: UInt64 = 0
  private var now = Deadline(nanoseconds: 0)
  /// The number of entries that are in the near queue only because the cursor is ahead of the time.
  private var aheadCount = 0
  package private(set) var filedCount = 0

  /// Sets the time of a wheel without deadlines, from which the distances of entries are then measured.
  /// Otherwise all would be in one slot of a high level, and move down together when the first is due: of a
  /// million it was 17 ms late.
  mutating func start(at now: Deadline) {
    self.now = now
    startAfresh()
  }

  mutating func file(_ index: UInt32, in slab: borrowing Slab<Element>) {
    filedCount += 1
    if !place(index, in: slab) { insertedIntoNear(slab[index].latest, in: slab) }
  }

  /// Removes an element that is listed. The near queue drops its entry later.
  mutating func unfile(_ index: UInt32, in slab: borrowing Slab<Element>) {
    guard let slot = slot(for: slab[index].latest) else {
      near.liveCount -= 1
      unfiled(index, in: slab)
      return near.compactIfNeeded { Self.isLive($0, in: slab) }
    }
    let (previous, next) = (slab[index].previous, slab[index].next)
    if next != Self.none { slab[next].previous = previous }
    if previous != Self.none {
      slab[previous].next = next
    } else if next != Self.none {
      slots[slot].head = next
    } else {
      slots.clear(slot)
    }
    unfiled(index, in: slab)
  }

  /// Returns the first entry, without its deadline from now on, unless the deadline lies after `now`.
  mutating func takeExpired(at now: Deadline, in slab: borrowing Slab<Element>) -> NearQueue.Entry? {
    self.now = now
    while true {
      if let top = firstNear(in: slab) {
        guard slab[top.index].deadline <= now else { return nil }
        near.liveCount -= 1
        near.dropFirst()
        unfiled(top.index, in: slab)
        return top
      }
      guard let slot = slots.first, slots[slot].earliestDeadline <= now else { return nil }
      cascade(slot, in: slab)
    }
  }

  /// Returns the moment at which the first entry must be taken. After that entry was removed, the moment may
  /// be too early. Taking then finds nothing, but moves the cursor, so this happens at most as many times as
  /// there are levels.
  mutating func nextWakeup(in slab: borrowing Slab<Element>) -> Deadline {
    if let top = firstNear(in: slab) { return top.latest }
    return slots.first.map { slots[$0].earliestLatest } ?? .never
  }

  /// Flipping the sign bit keeps the order: times before the clock's zero come first.
  private static func slotNumber(of deadline: Deadline) -> UInt64 {
    (UInt64(bitPattern: deadline.nanoseconds) ^ (1 << 63)) >> slotBits
  }

  /// Returns the slot that lists an entry, or nil if it belongs to the near queue.
  package func slot(for latest: Deadline) -> Int? {
    let number = Self.slotNumber(of: latest)
    guard number > cursor else { return nil }
    let level = (63 - (number ^ cursor).leadingZeroBitCount) / 6
    let position = Int(number >> UInt64(6 * level)) & (Slots.perLevel - 1)
    return level * Slots.perLevel + position
  }

  /// Returns false if the entry goes to the near queue.
  @discardableResult
  @inline(__always)
  private mutating func place(_ index: UInt32, in slab: borrowing Slab<Element>) -> Bool {
    var (isNear, head) = (false, Self.none)
    slab.update(index) { entry in
      if let slot = slot(for: entry.latest) {
        head = slots.add(index, to: slot, deadline: entry.deadline, latest: entry.latest)
        (entry.previous, entry.next) = (Self.none, head)
      } else {
        near.insert(NearQueue.Entry(latest: entry.latest, number: entry.filing.value, index: index))
        isNear = true
      }
    }
    if head != Self.none { slab[head].previous = index }
    return !isNear
  }

  private mutating func placeList(from head: UInt32, in slab: borrowing Slab<Element>) {
    var next = head
    while next != Self.none {
      let index = next
      next = slab[index].next
      place(index, in: slab)
    }
  }

  private mutating func unfiled(_ index: UInt32, in slab: borrowing Slab<Element>) {
    slab[index].filing = .none
    filedCount -= 1
    if filedCount == 0 { startAfresh() }
  }

  private mutating func startAfresh() {
    near.removeAll()
    cursor = Self.slotNumber(of: now)
    aheadCount = 0
  }

  /// After an entry with a long tolerance was taken, the cursor is ahead of the time, and new entries go to
  /// the near queue although they are far away. Once these are more than half of all, the cursor goes back
  /// and every entry is placed again, in O(1) for each of the new ones.
  @inline(never)
  private mutating func insertedIntoNear(_ latest: Deadline, in slab: borrowing Slab<Element>) {
    guard Self.slotNumber(of: latest) > Self.slotNumber(of: now) else { return }
    aheadCount += 1
    guard aheadCount > filedCount / 2 + 64 else { return }
    let (oldNear, oldSlots) = (near, slots)
    slots = Slots()
    startAfresh()
    for entry in oldNear.entries where Self.isLive(entry, in: slab) { place(entry.index, in: slab) }
    for (_, slot) in oldSlots.listing { placeList(from: slot.head, in: slab) }
  }

  /// Returns the first live entry of the near queue, and drops the others before it.
  private mutating func firstNear(in slab: borrowing Slab<Element>) -> NearQueue.Entry? {
    near.compactIfNeeded { Self.isLive($0, in: slab) }
    while let top = near.first {
      if Self.isLive(top, in: slab) { return top }
      near.dropFirst()
    }
    return nil
  }

  private static func isLive(_ entry: NearQueue.Entry, in slab: borrowing Slab<Element>) -> Bool {
    slab[entry.index].filing.value == entry.number
  }

  /// Moves the cursor to the start of the first occupied slot, and the slot's entries to the levels below.
  private mutating func cascade(_ slot: Int, in slab: borrowing Slab<Element>) {
    let level = UInt64(slot / Slots.perLevel)
    let position = UInt64(slot % Slots.perLevel)
    let above = 6 * (level + 1)
    cursor = ((cursor >> above) << above) | (position << (6 * level))
    let head = slots[slot].head
    slots.clear(slot)
    placeList(from: head, in: slab)
  }
}
