/// Whether an object comes to be released.
///
/// What was posted to a scheduler keeps it until it has looked, which it does a few milliseconds later if it isn't
/// urgent. An object that is kept for good is waited for two minutes or more.
func isReleased(_ object: () -> AnyObject?) async -> Bool {
  for _ in 0..<120_000 {
    if object() == nil { return true }
    try? await Task.sleep(for: .milliseconds(1))
  }
  return object() == nil
}
