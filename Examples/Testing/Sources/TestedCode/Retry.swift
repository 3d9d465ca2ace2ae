/// Calls an operation until it succeeds, and waits twice as long after each failure.
package func retry<Value>(
  attempts: Int, firstDelay: Duration, clock: some Clock<Duration>, _ body: () async throws -> Value
) async throws -> Value {
  var delay = firstDelay
  for _ in 1..<attempts {
    do {
      return try await body()
    } catch {
      try await clock.sleep(for: delay)
      delay *= 2
    }
  }
  return try await body()
}
