import TimerScheduling

extension DeadlineQueue {
  /// Whether the invariants of both wheels hold, in a queue that one thread uses. Visits every entry.
  var invariantsHold: Bool {
    firstShard.contents.withLock { contents in
      contents.monotonic.invariantsHold(on: .monotonic, in: contents.slab)
        && contents.wall.invariantsHold(on: .wall, in: contents.slab)
    }
  }
}

extension TimingWheel {
  fileprivate func invariantsHold(on timeline: Timeline, in slab: borrowing Slab<Element>) -> Bool {
    var listed = 0
    for (number, slot) in slots.listing {
      guard slot.head != Self.none else { return false }
      var index = slot.head
      var previous = Self.none
      while index != Self.none {
        let entry = slab[index]
        guard entry.element != nil, entry.filing.isFiled, entry.filing.timeline == timeline,
          self.slot(for: entry.latest) == number, entry.previous == previous,
          slot.earliestDeadline <= entry.deadline, slot.earliestLatest <= entry.latest
        else { return false }
        listed += 1
        previous = index
        index = entry.next
      }
    }
    var (filed, inNear) = (0, 0)
    for index in 0..<slab.endIndex where slab[index].filing.isFiled && slab[index].filing.timeline == timeline
    {
      filed += 1
      if slot(for: slab[index].latest) == nil { inNear += 1 }
    }
    return filed == filedCount && listed + inNear == filedCount && near.liveCount == inNear
  }
}
