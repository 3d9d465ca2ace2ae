/// The tasks of a clock's participants, with their jobs and waits.
///
/// A participant is a run of an action, or a task added to the clock. Its task creates other tasks, and may wait for
/// them in ways that the clock can't observe. So all of them form a *tree*, which is at rest as a whole when none of
/// its tasks has a queued or running job, and one of them waits for the clock.
struct TaskTable {
  typealias Attendee = Attendance.Attendee

  /// The tasks of a participant. All added tasks form a single tree, as they may wait for each other.
  enum Tree: Hashable {
    case added
    case of(Attendee)
  }

  /// The state of a task.
  struct Presence {
    /// The number of its waits for the clock.
    fileprivate(set) var waitCount = 0
    /// The attendees for which it has something to do.
    var attendees: Set<Attendee> = []
    /// Whether it has been woken from a sleep without being known as a consumer.
    var hasWokenUp = false
    /// The number of its jobs that are queued or running.
    fileprivate var jobCount = 0
    fileprivate(set) var tree: Tree?

    var isBusy: Bool { waitCount == 0 && (!attendees.isEmpty || hasWokenUp) }
    /// Whether it has jobs and isn't waiting for the clock. A participant's task that moves the clock does both, and
    /// isn't active.
    fileprivate var isActive: Bool { waitCount == 0 && jobCount > 0 }
    fileprivate var isNone: Bool {
      waitCount == 0 && attendees.isEmpty && !hasWokenUp && jobCount == 0 && tree == nil
    }
  }

  private struct Counts {
    var tasks: Set<TaskIdentity> = []
    var busyCount = 0
    var activeCount = 0
    var waitingCount = 0
    /// Whether the clock has stopped waiting for the tree until one of its tasks makes progress.
    var isGivenUp = false
    /// Whether its participants have ended. Tasks they created and didn't wait for may still be running.
    var isOver = false

    var isRestless: Bool {
      !isGivenUp && (activeCount > 0 || !isOver && busyCount > 0 && waitingCount == 0)
    }
    var restsWhileBusy: Bool { !isGivenUp && !isOver && !isRestless && busyCount > 0 }
  }

  private var tasks: [TaskIdentity: Presence] = [:]
  private var trees: [Tree: Counts] = [:]
  /// The number of busy tasks that belong to no tree.
  private var busyCount = 0
  private var restlessCount = 0
  private var restingWhileBusyCount = 0

  /// Whether no task has anything left to do.
  var isAtRest: Bool { busyCount == 0 && restlessCount == 0 }

  /// Whether a tree only seems to be at rest: one of its tasks has something to do, and may be about to be run by an
  /// executor that isn't watched.
  var isToBeVerified: Bool { restingWhileBusyCount > 0 }

  // MARK: Trees

  /// Begins a tree. From now on, tasks created by its tasks belong to it.
  mutating func begin(_ tree: Tree) {
    if trees[tree] == nil { trees[tree] = Counts() } else { changeTree(tree) { $0.isOver = false } }
  }

  /// Notes that the participants of a tree have ended. Returns the tree's tasks if it is removed.
  mutating func finish(_ tree: Tree) -> Set<TaskIdentity> {
    changeTree(tree) { $0.isOver = true }
    return removeIfOver(tree)
  }

  /// Removes a finished tree once its tasks neither run nor wait for the clock. Returns these tasks, which may or may
  /// not have ended.
  private mutating func removeIfOver(_ tree: Tree) -> Set<TaskIdentity> {
    guard let counts = trees[tree], counts.isOver, counts.activeCount == 0, counts.waitingCount == 0 else {
      return []
    }
    for task in counts.tasks { join(nil, task) }
    trees[tree] = nil
    return counts.tasks
  }

  /// Removes the task of a participant that has ended from its tree.
  mutating func leaveTree(_ task: TaskIdentity) {
    join(nil, task)
    change(task) { $0.hasWokenUp = false }
  }

  func tree(of task: TaskIdentity) -> Tree? { tasks[task]?.tree }

  func tasks(in tree: Tree) -> Set<TaskIdentity> { trees[tree]?.tasks ?? [] }

  /// Makes a task part of a tree. `jobCount` is the number of its queued or running jobs, used if that isn't known
  /// yet.
  mutating func adopt(_ task: TaskIdentity, into tree: Tree, jobCount: Int) {
    let isKnown = tasks[task].map { $0.jobCount > 0 } ?? false
    join(tree, task)
    if !isKnown { change(task) { $0.jobCount = jobCount } }
  }

  private mutating func join(_ tree: Tree?, _ task: TaskIdentity) {
    if let old = tasks[task]?.tree { trees[old]?.tasks.remove(task) }
    let known = tree.flatMap { trees[$0] == nil ? nil : $0 }
    if let known { trees[known]?.tasks.insert(task) }
    change(task) { $0.tree = known }
  }

  // MARK: Jobs

  /// Notes that a job of a task was enqueued, by `creator` if it is the task's first. Returns whether the task
  /// belongs to a tree.
  ///
  /// Tasks are numbered as they are created. A task resumed by another one was mostly created before it, and so has
  /// the lower number.
  mutating func jobEnqueued(_ task: TaskIdentity, by creator: TaskIdentity?) -> Bool {
    if tasks[task]?.tree == nil, let creator, creator < task, let tree = tasks[creator]?.tree {
      join(tree, task)
    }
    change(task) { $0.jobCount += 1 }
    guard let tree = tasks[task]?.tree else { return false }
    changeTree(tree) { $0.isGivenUp = false }
    return true
  }

  /// Notes that a job of a task has ended. Returns the tasks of a tree that is removed by this.
  mutating func jobEnded(_ task: TaskIdentity) -> Set<TaskIdentity> {
    guard let presence = tasks[task], presence.jobCount > 0 else { return [] }
    change(task) { $0.jobCount -= 1 }
    return presence.tree.map { removeIfOver($0) } ?? []
  }

  // MARK: Waits

  mutating func beginWait(of task: TaskIdentity) {
    change(task) {
      $0.waitCount += 1
      $0.hasWokenUp = false
    }
  }

  /// Notes that a wait is over. A task that belongs to no consumer or tree counts as busy if it `slept`.
  mutating func endWait(of task: TaskIdentity, slept: Bool) {
    change(task) {
      $0.waitCount -= 1
      if slept, $0.attendees.isEmpty, $0.tree == nil { $0.hasWokenUp = true }
    }
    if let tree = tasks[task]?.tree { changeTree(tree) { $0.isGivenUp = false } }
  }

  // MARK: Giving up

  func isHoldingUp(_ task: TaskIdentity) -> Bool {
    guard let presence = tasks[task], presence.isBusy else { return false }
    return presence.tree.flatMap { trees[$0]?.isRestless } ?? true
  }

  /// The busy tasks that are waited for. Those outside of trees and without attendees are known only because they
  /// slept.
  var tasksHoldingUp: Set<TaskIdentity> { Set(tasks.keys.lazy.filter { isHoldingUp($0) }) }

  /// Stops waiting for all trees until one of their tasks makes progress. Returns whether any was waited for.
  mutating func giveUpTrees() -> Bool {
    let wereWaitedFor = restlessCount > 0
    for tree in trees.keys { changeTree(tree) { if $0.isRestless { $0.isGivenUp = true } } }
    return wereWaitedFor
  }

  // MARK: Steps

  func attendees(of task: TaskIdentity) -> Set<Attendee> { tasks[task]?.attendees ?? [] }

  mutating func change(_ task: TaskIdentity, _ body: (inout Presence) -> Void) {
    var presence = tasks[task] ?? Presence()
    count(presence, -1)
    body(&presence)
    count(presence, 1)
    tasks[task] = presence.isNone ? nil : presence
  }

  private mutating func count(_ presence: Presence, _ change: Int) {
    guard let tree = presence.tree else {
      if presence.isBusy { busyCount += change }
      return
    }
    changeTree(tree) {
      if presence.isBusy { $0.busyCount += change }
      if presence.isActive { $0.activeCount += change }
      if presence.waitCount > 0 { $0.waitingCount += change }
    }
  }

  private mutating func changeTree(_ tree: Tree, _ body: (inout Counts) -> Void) {
    guard var counts = trees[tree] else { return }
    let (wasRestless, restedWhileBusy) = (counts.isRestless, counts.restsWhileBusy)
    body(&counts)
    restlessCount += (counts.isRestless ? 1 : 0) - (wasRestless ? 1 : 0)
    restingWhileBusyCount += (counts.restsWhileBusy ? 1 : 0) - (restedWhileBusy ? 1 : 0)
    trees[tree] = counts
  }
}
