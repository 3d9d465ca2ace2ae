/// The slots of a timing wheel, level by level, each with a list of entries.
///
/// A level takes memory from its first entry on, and an empty wheel takes none. Slots are numbered consecutively
/// through all levels.
struct WheelSlots: Sendable {
  struct Slot {
    /// The first entry of the list.
    var head = UInt32.max
    /// A moment no later than any entry's deadline. Removing an entry doesn't raise it.
    var earliestDeadline = Deadline.never
    /// A moment no later than any entry's latest moment. Removing an entry doesn't raise it.
    var earliestLatest = Deadline.never
  }

  private static let levelCount = 8
  static let slotsPerLevel = 64

  /// The slots of the levels that have had an entry, in the order in which the levels had their first one.
  private var slots: [Slot] = []
  /// A byte for each level: zero, or its place in `slots`, counted from one.
  private var places: UInt64 = 0
  /// A bit for each slot that lists an entry, level by level. Empty before the first entry.
  private var occupied: [UInt64] = []

  /// The slot with a number, on a level that has had an entry.
  subscript(number: Int) -> Slot { slots[position(of: number)] }

  /// The number of the slot whose span comes first. Every slot of a level comes before those of the level above.
  var first: Int? {
    for level in 0..<occupied.count where occupied[level] != 0 {
      return level << 6 + occupied[level].trailingZeroBitCount
    }
    return nil
  }

  /// The slots that list an entry, and their numbers.
  var listing: [(number: Int, slot: Slot)] {
    (0..<occupied.count * Self.slotsPerLevel).compactMap { number in
      occupied[number >> 6] & (1 << UInt64(number & 63)) == 0 ? nil : (number, self[number])
    }
  }

  /// Makes an entry the head of a slot's list. Returns the previous head, or `UInt32.max` if there was none.
  mutating func add(_ index: UInt32, to number: Int, deadline: Deadline, latest: Deadline) -> UInt32 {
    var position = position(of: number)
    if position < 0 {
      addLevel(number >> 6)
      position = self.position(of: number)
    }
    // A single access to the array, as each takes a bounds check.
    var slot = slots[position]
    let head = slot.head
    slot.head = index
    slot.earliestDeadline = min(slot.earliestDeadline, deadline)
    slot.earliestLatest = min(slot.earliestLatest, latest)
    slots[position] = slot
    if head == .max { occupied[number >> 6] |= 1 << UInt64(number & 63) }
    return head
  }

  mutating func setHead(_ index: UInt32, of number: Int) {
    slots[position(of: number)].head = index
  }

  mutating func clear(_ number: Int) {
    slots[position(of: number)] = Slot()
    occupied[number >> 6] &= ~(1 << UInt64(number & 63))
  }

  // MARK: Levels

  /// Returns the position of a slot in `slots`, which is negative on a level that has had no entry.
  private func position(of number: Int) -> Int {
    let place = Int(truncatingIfNeeded: places &>> UInt64(truncatingIfNeeded: (number >> 6) &* 8)) & 0xFF
    return (place &- 1) &<< 6 &+ number & 63
  }

  /// Makes the slots of a level. It is rare, so it isn't inlined.
  @inline(never)
  private mutating func addLevel(_ level: Int) {
    if occupied.isEmpty { occupied = [UInt64](repeating: 0, count: Self.levelCount) }
    // Reserves exactly as much room as is needed.
    slots.reserveCapacity(slots.count + Self.slotsPerLevel)
    slots.append(contentsOf: repeatElement(Slot(), count: Self.slotsPerLevel))
    places |= UInt64(slots.count / Self.slotsPerLevel) << UInt64(8 * level)
  }
}
