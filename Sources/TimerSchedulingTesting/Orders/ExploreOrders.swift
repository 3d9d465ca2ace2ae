import TimerScheduling
public import TimerSchedulingFoundation

/// Runs a test once for each of many orders in which its tasks may go on.
///
/// Wherever several tasks could go on, each of them may be the first: tasks that were resumed, that go to an
/// actor, wait for one or come back from one. What is due at one moment comes in each order, too. Order 0 is
/// the usual one: a task goes on until it waits. Then come the orders with one *preemption*, a point at which
/// another task goes first, then those with two, and so on. If there are more orders than were asked for, the
/// second half is drawn at random. Each body runs on a clock of its own, as with
/// ``withVirtualClock(date:limit:timeout:onFailure:fileID:filePath:line:column:_:)``.
///
/// ```swift
/// actor Value {
///   private(set) var number = 0
///   func set(_ new: Int) { number = new }
/// }
///
/// do {
///   try await exploreOrders { _ in
///     let value = Value()
///     await withTaskGroup { group in
///       for _ in 0..<2 { group.addTask { await value.set(await value.number + 1) } }
///     }
///     if await value.number != 2 { throw CancellationError() }
///   }
/// } catch let failure as OrderFailure {
///   print(failure.preemptionCount)  // 1
/// }
/// ```
///
/// An order fails if its body throws an error, or records an issue of Swift Testing on Linux. The search ends
/// with it: it looks for fewer preemptions that fail, too, and throws an ``OrderFailure`` that has these
/// steps, and a number that repeats them. In XCTest, throw an error rather than use an assert, which doesn't
/// end a search.
///
/// Tasks change only where one suspends. A body whose jobs depend on a real clock, on random numbers or on
/// threads of its own can't be repeated, and is reported as that.
///
/// - Parameters:
///   - orders: The numbers of the orders to draw, of which there are as many as orders are run. From 0 on,
///     the first half are orders with few preemptions, whose numbers are above 4,294,967,296. If an order
///     equals an earlier one, one with few preemptions is run in its place.
///   - seed: The seed from which orders are drawn.
///   - date: The date that the wall clock shows at first.
///   - limit: The longest virtual time that the body may take.
///   - timeout: The longest real time for which the body may be unable to go on.
///   - onFailure: Fails the test with a message, as in
///     ``withVirtualClock(date:limit:timeout:onFailure:fileID:filePath:line:column:_:)``. An order that calls
///     it doesn't end the search.
///   - fileID: The file of the call, for the place of a failure.
///   - filePath: The file's path.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: The test. It begins anew for each order, so it makes all that it uses.
/// - Returns: How many orders were run, and whether they are all.
/// - Throws: An ``OrderFailure`` for the first order that fails.
/// - Precondition: `orders` isn't empty and begins at 0 or later. `date` is a number, and neither `limit` nor
///   `timeout` is negative.
@discardableResult
public func exploreOrders(
  _ orders: Range<Int> = 0..<1_000, seed: UInt64 = 0, date: Date = Date(timeIntervalSinceReferenceDate: 0),
  limit: Duration = .seconds(31 * 86_400), timeout: Duration = .seconds(60),
  onFailure: (@Sendable (String) -> Void)? = nil, fileID: String = #fileID, filePath: String = #filePath,
  line: Int = #line, column: Int = #column,
  @_inheritActorContext _ body: sending @escaping @isolated(any) (VirtualClock) async throws -> Void
) async throws -> OrderCoverage {
  precondition(!orders.isEmpty, "The orders must have at least one number, but \(orders) was given.")
  precondition(orders.lowerBound >= 0, "The orders must begin at 0 or later, but \(orders) was given.")
  nonisolated(unsafe) let body = body
  let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)

  let runs = OrderRuns { order, isShort in
    let run = VirtualRun<Void>(
      limit: limit, timeout: isShort ? min(timeout, .seconds(1)) : timeout, onFailure: onFailure, at: location
    )
    return await run.run(date: date, order: order) { try await unsafe body($0) }
  }
  var search = OrderSearch(orders, seed: seed)
  var hasChanged = false
  while let order = search.next() {
    try Task.checkCancellation()
    let (done, error) = await runs.run(order)
    try Task.checkCancellation()
    if let error, search.isWanted(order) {
      throw await runs.failure(of: order, done, error, seed: seed, at: location)
    }
    if search.add(done) { continue }
    // A process makes its global values in the first run that uses them, which may change the choices once.
    if hasChanged {
      throw OrderFailure(order, UnrepeatableOrder(error: nil), seed: seed, at: location)
    }
    hasChanged = true
    search = OrderSearch(orders, seed: seed)
  }
  let coverage = search.coverage
  if coverage.isComplete, coverage.orderCount == 1 {
    StandardError.print("\(fileID):\(line): \(coverage)")
  }
  return coverage
}

/// An order in which a test fails.
public struct OrderFailure: Error, CustomStringConvertible {
  /// The number of the order.
  public var order: Int
  /// The seed from which the order was drawn.
  public var seed: UInt64
  /// The body's error, or the issue that it has recorded. An ``UnrepeatableOrder`` if the order had another
  /// outcome when it was run again.
  public var error: any Error
  /// A line for each step of the order.
  ///
  /// It has the task, the function in which it goes on, the actor, and the task that it interrupts. The first
  /// line of a task has its name, or the function that made it. Functions are named where the program has
  /// their symbols.
  public private(set) var timeline = ""
  /// The number of points at which another task goes first than in order 0.
  public private(set) var preemptionCount = 0
  private let location: TestLocation

  init(_ order: JobOrder, _ error: any Error, seed: UInt64, at location: TestLocation) {
    self.order = order.number
    self.seed = seed
    self.error = error
    self.location = location
    timeline = order.timeline?.text ?? ""
    preemptionCount = order.preemptions.count
  }

  /// A text that has the steps, and says how to run the order again if it can be.
  public var description: String {
    var lines = ["\(location.fileID):\(location.line): Order \(order) of seed \(seed) fails: \(error)"]
    if !timeline.isEmpty { lines.append("Its steps:\n\(timeline)") }
    if error is UnrepeatableOrder { return lines.joined(separator: "\n") }
    lines.append("To run only this order, call `exploreOrders(\(order)..<\(order + 1), seed: \(seed))`.")
    if !Runtime.hasVariable("SWIFT_DETERMINISTIC_HASHING") {
      lines.append(
        "If the body goes over a set or a dictionary, set SWIFT_DETERMINISTIC_HASHING=1 in the environment. Without "
          + "it, their order is another one in each process.")
    }
    return lines.joined(separator: "\n")
  }
}

/// An order that had another course or outcome when it was run again.
public struct UnrepeatableOrder: Error, CustomStringConvertible {
  /// The error of the first run, if it failed.
  public var error: (any Error)?

  /// A text that says why an order can't be repeated.
  public var description: String {
    let first = error.map { "It first failed with \($0). " } ?? ""
    return
      "\(first)The order can't be repeated: the body's jobs aren't the same in every run. It may read a real clock or "
      + "a random number, or use threads of its own"
  }
}
