/// What a timer's scheduler knows of it, or is about to find, and so whether it has to look.
struct Posting {
  private enum Known {
    case nothing
    case unfiled
    case filed(latest: Deadline, Timeline)
    case gone
  }

  private var known = Known.nothing
  /// Whether the scheduler is going to look.
  private var isPosted = false

  /// Returns when the scheduler has to look at the latest, or nil if it needn't be told.
  mutating func post(_ wish: TimerRecord.Wish) -> Deadline? {
    switch (known, wish) {
    case (.gone, _), (.unfiled, .unfiled):
      return nil
    // It looks when the earlier one has come, and files the later one then. A timeout that is restarted over and
    // over is filed once in its time.
    case (.filed(let latest, let timeline), .filed(let filing))
    where timeline == filing.timeline && latest <= filing.latest:
      return nil
    case (_, .filed(let filing)):
      note(wish)
      isPosted = true
      // What is due on the other clock isn't known here.
      return filing.timeline == .monotonic ? filing.latest : .past
    case (_, .unfiled), (_, .gone):
      note(wish)
      guard !isPosted else { return nil }
      isPosted = true
      return .never
    }
  }

  /// The scheduler has looked, and does as it finds.
  mutating func noteLook(_ wish: TimerRecord.Wish) {
    note(wish)
    isPosted = false
  }

  private mutating func note(_ wish: TimerRecord.Wish) {
    known =
      switch wish {
      case .filed(let filing): .filed(latest: filing.latest, filing.timeline)
      case .unfiled: .unfiled
      case .gone: .gone
      }
  }
}
