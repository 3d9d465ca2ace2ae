extension TimingWheel {
  /// Returns whether the wheel's invariants hold.
  func invariantsHold(on timeline: Timeline, in slab: borrowing Slab<Element>) -> Bool {
    var listed = 0
    for slot in 0..<WheelSlots.levelCount * WheelSlots.slotsPerLevel where slots.isOccupied(slot) {
      guard slots[slot].head != Self.none else { return false }
      var index = slots[slot].head
      var previous = Self.none
      while index != Self.none {
        let entry = slab[index]
        guard entry.element != nil, entry.filing.isFiled, entry.filing.timeline == timeline,
          self.slot(for: entry.latest) == slot, entry.previous == previous,
          slots[slot].earliestDeadline <= entry.deadline, slots[slot].earliestLatest <= entry.latest
        else { return false }
        listed += 1
        previous = index
        index = entry.next
      }
    }
    let filed = (0..<slab.endIndex).filter {
      slab[$0].filing.isFiled && slab[$0].filing.timeline == timeline
    }
    let inNear = filed.count { slot(for: slab[$0].latest) == nil }
    return filed.count == filedCount && listed + inNear == filedCount && near.liveCount == inNear
  }
}
