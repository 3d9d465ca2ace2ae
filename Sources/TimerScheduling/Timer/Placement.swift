/// Where a scheduler has a record, in half a word.
struct Placement {
  enum Place {
    /// Nowhere: the record is new, or its timer has finished.
    case none
    /// Among the deadlines on one of the clocks.
    case filed(Timeline, TimingWheel<TimerRecord>.Handle)
    /// Among the live timers that have no deadline.
    case unfiled(position: Int)
  }

  static let none = Placement(kind: 0, index: 0)

  /// Two bits say what the others are an index of.
  private let bits: UInt32

  private init(kind: UInt32, index: UInt32) {
    precondition(index < 1 << 30, "A scheduler has room for a billion timers.")
    bits = kind << 30 | index
  }

  static func filed(_ timeline: Timeline, _ handle: TimingWheel<TimerRecord>.Handle) -> Placement {
    switch timeline {
    case .monotonic: Placement(kind: 1, index: handle.index)
    case .wall: Placement(kind: 2, index: handle.index)
    }
  }

  static func unfiled(position: Int) -> Placement {
    Placement(kind: 3, index: UInt32(clamping: position))
  }

  var place: Place {
    let index = bits & (1 << 30 - 1)
    return switch bits >> 30 {
    case 0: .none
    case 1: .filed(.monotonic, TimingWheel.Handle(index: index))
    case 2: .filed(.wall, TimingWheel.Handle(index: index))
    default: .unfiled(position: Int(index))
    }
  }
}
