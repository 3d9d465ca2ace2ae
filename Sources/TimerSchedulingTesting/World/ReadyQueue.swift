import Dispatch

/// A piece of a world's work that is ready to be done.
struct ReadyWork: Sendable {
  enum Kind: Sendable {
    /// A job of a task or an actor.
    case job(UnownedJob)
    /// A job of the main actor.
    case mainJob(UnownedJob)
    /// Work of a clock's schedulers, which the clock's task performs.
    case block(@Sendable () -> Void, TaskMaker?)
    /// The turn of a task within the job of an actor, on a thread that waits for the signal.
    case turn(DispatchSemaphore)
  }

  /// When work is done in the usual order: after all that has an earlier rank.
  enum Rank: Comparable, Sendable {
    case ready
    /// The wakeup of a scheduler.
    case wakeup
    /// The end of a sleep.
    case sleep
    /// The end of a time limit, which lets what is due at the same moment come first.
    case limit
  }

  let kind: Kind
  let member: Member?
  /// Work of the same lane is done in the order in which it came. Zero for work that is in no lane.
  var lane: UInt64 = 0
  /// Whether it is the job of a task that has only yielded for long.
  var onlyYields = false
  /// Whether it resumes a task that yields.
  var isYield = false
  var rank = Rank.ready
  /// The priority that an order of jobs has drawn. Zero if the order draws none.
  var priority: UInt64 = 0

  static let mainLane = UInt64.max
}

extension ReadyWork {
  /// Whether it is a job that belongs to no task and resumes one that yields.
  var isResumption: Bool {
    if case .job = kind { isYield } else { false }
  }

  /// Whether it runs the task of its member, and doesn't only resume it.
  var isOwnJob: Bool {
    switch kind {
    case .job, .mainJob: !isYield
    case .turn: true
    case .block: false
    }
  }

  /// Whether it is a job that belongs to no task that is known.
  var isOfActor: Bool {
    if case .job = kind { member == nil } else { false }
  }

  init(_ job: UnownedJob, isMain: Bool, member: Member?, isYield: Bool = false) {
    self.init(
      kind: isMain ? .mainJob(job) : .job(job), member: member, lane: isMain ? Self.mainLane : 0,
      isYield: isYield)
  }
}

/// The work that is ready, in the order in which it became ready.
struct ReadyQueue: ~Copyable {
  /// Nil for work that was taken, so that it isn't released under a lock.
  private var works: [ReadyWork?] = []
  private var head = 0
  /// The number of jobs of tasks that only yield.
  private var yieldCount = 0
  /// The number of works that are in a lane.
  private var laneCount = 0

  var count: Int { works.count - head }
  var hasOnlyYields: Bool { yieldCount > 0 && yieldCount == count }

  var isEmpty: Bool { head == works.count }

  var isMainJobFirst: Bool { !isEmpty && works[head]?.lane == ReadyWork.mainLane }

  mutating func append(_ work: ReadyWork) {
    works.append(work)
    if work.onlyYields { yieldCount += 1 }
    if work.lane != 0 { laneCount += 1 }
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
    guard let work else { return nil }
    if work.onlyYields { yieldCount -= 1 }
    if work.lane != 0 { laneCount -= 1 }
    return work
  }

  /// Removes and returns the work that an order of jobs chooses: any but such that would overtake its lane,
  /// or that of a task that only yields while there is other.
  ///
  /// In the usual order, the task that has run `last` goes on if it can, unless it yields. Otherwise, the
  /// work goes on that became ready first, of the lowest rank.
  mutating func pop(by order: inout JobOrder, after last: World.Current?) -> ReadyWork? {
    guard !isEmpty else { return nil }
    let own = last?.member?.isReady == true ? works.lastIndex { $0?.member === last?.member } : nil
    // The job that resumes a task after its yield was chosen, and stands for the job that it has brought.
    if let own, last?.isResumption == true { return taken(works.remove(at: own)) }
    // The places of the works that may be next. Nil if all may.
    let places: [Int]? = laneCount == 0 && yieldCount == 0 ? nil : candidates
    let count = places?.count ?? count
    func place(_ index: Int) -> Int { places?[index] ?? head + index }
    func rank(_ index: Int) -> ReadyWork.Rank { works[place(index)]?.rank ?? .ready }
    var choice = 0
    if count > 1 {
      if let own, works[own]?.isYield == false,
        let index = places.map({ $0.firstIndex(of: own) }) ?? own - head
      {
        choice = index
      } else if rank(0) > .ready {
        choice = (0..<count).min { rank($0) < rank($1) } ?? 0
        // The tasks whose sleeps have ended go on in turn.
        if rank(choice) == .sleep {
          for index in 0..<count where rank(index) == .sleep { works[place(index)]?.rank = .ready }
        }
      }
      choice = order.choose(usual: choice, of: count, after: last?.member) { works[place($0)] }
    }
    return place(choice) == head ? popFirst() : taken(works.remove(at: place(choice)))
  }

  private var candidates: [Int] {
    var lanes: Set<UInt64> = []
    return works[head...].indices.filter { index in
      if !hasOnlyYields, works[index]?.onlyYields == true { return false }
      let lane = works[index]?.lane ?? 0
      return lane == 0 || lanes.insert(lane).inserted
    }
  }
}
