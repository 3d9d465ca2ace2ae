package import TimerSchedulingFoundation

/// A replica's session at the store, and which request it makes next.
package struct ReplicaSession: Hashable {
  package let id = UUID()
  package private(set) var number: Int64 = 1
  /// Whether the claim of that number was sent before, and its answer is missing.
  package private(set) var isOpen = false
  package private(set) var isKnown = false
  /// The jobs whose schedules are to be the store's. Nil if the store knows the session and all of its jobs.
  package private(set) var declares: Set<String>?
  /// Those of them that the replica has had while another version of the program had changed them.
  package private(set) var resumes: Set<String> = []
  /// The jobs whose rows were locked when they were declared. They are declared again after the next claim.
  package private(set) var locked: Set<String> = []

  /// Creates the session that follows one that is over, or the first.
  package init(after old: ReplicaSession? = nil) { declares = (old?.declares ?? []).union(old?.locked ?? []) }

  /// Has the session registered again, with these schedules as the store's.
  package mutating func declare(_ jobs: Set<String>, resumes: Set<String> = []) {
    declares = (declares ?? []).union(jobs).union(resumes)
    self.resumes = self.resumes.subtracting(jobs).union(resumes)
  }

  /// Notes that the store has registered the session, perhaps with all jobs and handlers of the replica, and
  /// that it has made the schedules of some jobs its own, but not those of locked rows.
  package mutating func registered(_ declared: Set<String>, locked: Set<String> = [], isAll: Bool) {
    (isKnown, self.locked) = (true, locked)
    resumes.subtract(declared.subtracting(locked))
    let rest = (declares ?? []).subtracting(declared)
    declares = rest.isEmpty && isAll ? nil : rest
  }

  /// Notes that the next claim is being sent. Returns nil if the session must be registered first.
  package mutating func sends() -> (number: Int64, isRepeated: Bool)? {
    guard declares == nil else { return nil }
    defer { isOpen = true }
    return (number, isOpen)
  }

  /// Notes the answer to the claim. Until then it is sent again, also if the answer came too late to begin
  /// its runs. Returns the jobs whose rows were locked, which are declared again.
  @discardableResult
  package mutating func answered() -> Set<String> {
    defer { locked = [] }
    (number, isOpen) = (number + 1, false)
    if !locked.isEmpty { declare(locked.subtracting(resumes), resumes: locked.intersection(resumes)) }
    return locked
  }
}
