/// Whether an object is released.
///
/// Work that was posted to a scheduler keeps the scheduler until it is done, a few milliseconds later if it isn't
/// urgent. For an object that is kept for good, this waits two minutes or more.
func isReleased(_ object: () -> AnyObject?) async -> Bool {
  for _ in 0..<120_000 {
    if object() == nil { return true }
    try? await Task.sleep(for: .milliseconds(1))
  }
  return object() == nil
}
