extension TimingWheel {
  /// The slots of a wheel, each with a list of entries, numbered consecutively through all levels. A level
  /// takes memory from its first entry on.
  package struct Slots: Sendable {
    package struct Slot {
      package var head = UInt32.max
      // Moments no later than those of any entry. Removing an entry doesn't raise them.
      package var earliestDeadline = Deadline.never
      package var earliestLatest = Deadline.never
    }

    private struct Level {
      var slots: [Slot] = []
      /// A bit for each slot that lists an entry.
      var occupied: UInt64 = 0

      mutating func add(_ index: UInt32, to position: Int, _ deadline: Deadline, _ latest: Deadline) -> UInt32
      {
        if slots.isEmpty { slots = [Slot](repeating: Slot(), count: Slots.perLevel) }
        // A single access to the array, as each takes a bounds check.
        var slot = slots[position]
        let head = slot.head
        slot.head = index
        slot.earliestDeadline = min(slot.earliestDeadline, deadline)
        slot.earliestLatest = min(slot.earliestLatest, latest)
        slots[position] = slot
        occupied |= 1 << UInt64(position)
        return head
      }
    }

    static var perLevel: Int { 64 }

    private var levels: [Level] = []

    /// The slot with a number, on a level that takes memory.
    subscript(number: Int) -> Slot {
      get { levels[number >> 6].slots[number & 63] }
      set { levels[number >> 6].slots[number & 63] = newValue }
    }

    /// The number of the slot that comes first. Every slot of a level comes before those of the level above.
    var first: Int? {
      for level in levels.indices where levels[level].occupied != 0 {
        return level << 6 + levels[level].occupied.trailingZeroBitCount
      }
      return nil
    }

    /// The slots that list an entry.
    package var listing: [(number: Int, slot: Slot)] {
      (0..<levels.count << 6).compactMap { number in
        levels[number >> 6].occupied & 1 << UInt64(number & 63) == 0 ? nil : (number, self[number])
      }
    }

    /// Makes an entry the head of a slot's list. Returns the previous head, or `UInt32.max` if there was
    /// none.
    mutating func add(_ index: UInt32, to number: Int, deadline: Deadline, latest: Deadline) -> UInt32 {
      if levels.isEmpty { levels = [Level](repeating: Level(), count: 8) }
      return levels[number >> 6].add(index, to: number & 63, deadline, latest)
    }

    mutating func clear(_ number: Int) {
      self[number] = Slot()
      levels[number >> 6].occupied &= ~(1 << UInt64(number & 63))
    }
  }
}
