/// A piece of a world's work that is ready to be done.
struct ReadyWork: Sendable {
  enum Kind: Sendable {
    /// A job of a task or an actor.
    case job(UnownedJob)
    /// A job of the main actor.
    case mainJob(UnownedJob)
    /// Work of a clock's schedulers, which the clock's task performs.
    case block(@Sendable () -> Void, TaskMaker?)
  }

  let kind: Kind
  let member: Member?
  /// Work of the same lane is done in the order in which it came. Zero for work that is in no lane.
  var lane: UInt64 = 0
  /// Whether it is the job of a task that has only yielded for long.
  var onlyYields = false

  static let mainLane = UInt64.max
}

extension ReadyWork {
  init(_ job: UnownedJob, isMain: Bool, member: Member?) {
    self.init(kind: isMain ? .mainJob(job) : .job(job), member: member, lane: isMain ? Self.mainLane : 0)
  }
}

/// The work that is ready, in the order in which it became ready.
struct ReadyQueue: ~Copyable {
  /// Nil for work that was taken, so that it isn't released under a lock.
  private var works: [ReadyWork?] = []
  private var head = 0
  /// The number of jobs of tasks that only yield.
  private var yieldCount = 0

  var count: Int { works.count - head }
  var hasOnlyYields: Bool { yieldCount > 0 && yieldCount == count }

  var isEmpty: Bool { head == works.count }

  var isMainJobFirst: Bool { !isEmpty && works[head]?.lane == ReadyWork.mainLane }

  mutating func append(_ work: ReadyWork) {
    works.append(work)
    if work.onlyYields { yieldCount += 1 }
  }

  mutating func popFirst() -> ReadyWork? {
    guard head < works.count else { return nil }
    defer {
      head += 1
      if head == works.count {
        works.removeAll(keepingCapacity: true)
        head = 0
      } else if head >= 1024, 2 * head > works.count {
        works.removeFirst(head)
        head = 0
      }
    }
    return taken(works[head].take())
  }

  private mutating func taken(_ work: ReadyWork?) -> ReadyWork? {
    if work?.onlyYields == true { yieldCount -= 1 }
    return work
  }

  /// Removes and returns the work that an order of jobs chooses: any but such that would overtake its lane,
  /// or that of a task that only yields while there is other.
  mutating func pop(by order: inout JobOrder) -> ReadyWork? {
    var lanes: Set<UInt64> = []
    let candidates = works[head...].indices.filter { index in
      if !hasOnlyYields, works[index]?.onlyYields == true { return false }
      let lane = works[index]?.lane ?? 0
      return lane == 0 || lanes.insert(lane).inserted
    }
    guard let first = candidates.first else { return nil }
    if candidates.count == 1, first == head { return popFirst() }
    guard candidates.count > 1 else { return taken(works.remove(at: first)) }
    let choice = order.choose(among: candidates.map { works[$0]?.member?.task.number ?? 0 })
    return taken(works.remove(at: candidates[choice]))
  }
}
