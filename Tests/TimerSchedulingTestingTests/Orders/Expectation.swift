struct ExpectationFailed: Error {}

/// Throws an error if a condition doesn't hold. Unlike `#require`, it records no issue.
func expect(_ condition: Bool) throws {
  if !condition { throw ExpectationFailed() }
}
