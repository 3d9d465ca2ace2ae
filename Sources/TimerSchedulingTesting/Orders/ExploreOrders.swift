import TimerScheduling
public import TimerSchedulingFoundation

/// Runs a test once for each of many orders in which its tasks may go on.
///
/// Wherever several tasks are ready at one moment, each of them may be the first: tasks that were resumed,
/// timers that are due together, and the schedulers' own work. Order 0 is the ordinary one, in which they
/// became ready. The others are drawn from the seed. Each body runs on a clock of its own, as with
/// ``withVirtualClock(date:limit:timeout:onFailure:fileID:filePath:line:column:_:)``.
///
/// ```swift
/// actor Log {
///   var names: [String] = []
///   func note(_ name: String) { names.append(name) }
/// }
///
/// let count = try await exploreOrders { _ in
///   let log = Log()
///   async let first: Void = log.note("a"), second: Void = log.note("b")
///   _ = await (first, second)
///   if await log.names.count < 2 { throw CancellationError() }
/// }
/// print(count)  // 3
/// ```
///
/// A body fails by throwing an error, as with `#require`. The order that fails is thrown with its number.
/// Tasks change only where one suspends, so a fake that answers at once hides orders. A body whose jobs
/// depend on a real clock, on random numbers or on threads of its own can't be repeated, and is reported as
/// that.
///
/// - Parameters:
///   - orders: The numbers of the orders. If the body has fewer, each is run once. An order that equals an
///     earlier one is replaced by an order that wasn't run, which has a number of its own.
///   - seed: The seed from which the orders are drawn.
///   - date: The date that the wall clock shows at first.
///   - limit: The longest virtual time that the body may take.
///   - timeout: The longest real time for which the body may be unable to go on.
///   - onFailure: Fails the test with a message, as in
///     ``withVirtualClock(date:limit:timeout:onFailure:fileID:filePath:line:column:_:)``.
///   - fileID: The file of the call, for the place of a failure.
///   - filePath: The file's path.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: The test. It begins anew for each order, so it makes all that it uses.
/// - Returns: The number of different orders that were run. It is lower than the number of `orders` if there
///   are no more.
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
) async throws -> Int {
  precondition(!orders.isEmpty, "The orders must have at least one number, but \(orders) was given.")
  precondition(orders.lowerBound >= 0, "The orders must begin at 0 or later, but \(orders) was given.")
  nonisolated(unsafe) let body = body
  let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)

  /// Runs an order. Returns it with its choices, and its error if it fails.
  func run(_ order: JobOrder) async -> (order: JobOrder, error: (any Error)?) {
    let run = VirtualRun<Void>(limit: limit, timeout: timeout, onFailure: onFailure, at: location)
    let (result, done) = await run.run(date: date, order: order) { try await unsafe body($0) }
    switch result {
    case .success: return (done ?? order, nil)
    case .failure(let error): return (done ?? order, error)
    }
  }

  var tree = OrderTree()
  var differentCount = 0
  var hasChanged = false
  for number in orders {
    try Task.checkCancellation()
    if tree.isComplete { break }
    var order = JobOrder(number, seed: seed)
    if tree.contains(order) {
      guard let missing = tree.missing else { continue }
      order = JobOrder(missing, seed: seed)
    }
    let (done, error) = await run(order)
    try Task.checkCancellation()
    if let error {
      let (again, repeated) = await run(order)
      let isRepeated = again.choices == done.choices && repeated != nil
      throw OrderFailure(
        order: order.number, seed: seed, error: isRepeated ? error : UnrepeatableOrder(error: error))
    }
    differentCount += 1
    // The tree is that of the other orders.
    if done.isIncomplete { continue }
    if !tree.add(done.choices) {
      // A process makes its global values in the first run that uses them, which may change the choices once.
      if hasChanged {
        throw OrderFailure(order: order.number, seed: seed, error: UnrepeatableOrder(error: nil))
      }
      hasChanged = true
      tree = OrderTree()
      _ = tree.add(done.choices)
      differentCount = 1
    }
  }
  return differentCount
}

/// An order in which a test fails.
public struct OrderFailure: Error, CustomStringConvertible {
  /// The number of the order.
  public var order: Int
  /// The seed from which the order was drawn.
  public var seed: UInt64
  /// The body's error. An ``UnrepeatableOrder`` if the order had another outcome when it was run again.
  public var error: any Error

  /// A text that says how to run the order again.
  public var description: String {
    "Order \(order) of seed \(seed) fails: \(error). "
      + "To run only this order, call `exploreOrders(\(order)..<\(order + 1), seed: \(seed))`."
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
