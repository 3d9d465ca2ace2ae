/// The runs of a search: orders that are run, run again, and made smaller.
struct OrderRuns {
  typealias Outcome = (order: JobOrder, error: (any Error)?)

  /// The greatest number of runs in which an order is made smaller.
  private static let mostRuns = 300

  /// The result of a run, and the order with the choices that were made up to it.
  typealias Run = (result: Result<Void, any Error>, order: JobOrder?)

  /// Runs an order. With `isShort` it may be unable to go on for a second, and no longer.
  let perform: @Sendable (JobOrder, _ isShort: Bool) async -> Run

  /// Runs an order. Returns it with its choices, and its error or issue if it fails.
  func run(_ order: JobOrder, isShort: Bool = false) async -> Outcome {
    let run = WorldLock(Run?.none)
    let issue = await TestIssue.first {
      let done = await perform(order, isShort)
      run.withLock { $0 = done }
    }
    guard let done = run.withLock({ $0 }) else { preconditionFailure("An order wasn't run.") }
    switch done.result {
    case .success: return (done.order ?? order, issue)
    case .failure(let error): return (done.order ?? order, issue?.replaces(error) == true ? issue : error)
    }
  }

  /// Returns the failure of an order that has failed: that of the fewest preemptions that fail as well.
  func failure(
    of order: JobOrder, _ done: JobOrder, _ error: any Error, seed: UInt64, at location: TestLocation
  ) async -> OrderFailure {
    var order = order
    order.timeline = OrderTimeline()
    let isShort = error is VirtualTimeError
    var (again, repeated) = await run(order, isShort: isShort)
    // The first run may have made global values of the process.
    if repeated != nil, again.choices != done.choices {
      let first = again.choices
      (again, repeated) = await run(order, isShort: isShort)
      if again.choices != first { repeated = nil }
    }
    guard let repeated else {
      return OrderFailure(order, UnrepeatableOrder(error: error), seed: seed, at: location)
    }
    let (smallest, itsError) = await reduce((again, repeated))
    return OrderFailure(smallest, itsError, seed: seed, at: location)
  }

  /// Takes preemptions out of an order that fails, as long as it fails with such an error: first half of them
  /// at a time, in the end one by one.
  private func reduce(_ failed: (order: JobOrder, error: any Error)) async -> (
    order: JobOrder, error: any Error
  ) {
    var smallest = failed
    var runCount = 0
    var size = smallest.order.preemptions.count
    while size > 0 {
      var start = 0
      var isSmaller = false
      while start < smallest.order.preemptions.count, runCount < Self.mostRuns {
        var preemptions = smallest.order.preemptions
        preemptions.removeSubrange(start..<min(start + size, preemptions.count))
        var order = JobOrder(preemptions, number: failed.order.number)
        order.timeline = OrderTimeline()
        runCount += 1
        let (done, error) = await run(order, isShort: failed.error is VirtualTimeError)
        if let error, type(of: error) == type(of: smallest.error),
          done.preemptions.count < smallest.order.preemptions.count, let done = done.renumbered
        {
          smallest = (done, error)
          isSmaller = true
        } else {
          start += size
        }
      }
      size = isSmaller ? min(size, smallest.order.preemptions.count) : size / 2
    }
    return smallest
  }
}
