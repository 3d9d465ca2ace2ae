import TimerScheduling

/// 100,000 tasks that sleep, half of which are cancelled, on a scheduler and by `Task.sleep`.
struct CancelledSleeps {
  private static let count = 100_000

  private struct Cost {
    /// The memory held for each task that still sleeps, including what the cancelled tasks have left behind.
    let bytes: Double
    let cpu: Double
  }

  func run() -> [Strain.Finding] {
    let scheduler = TimerScheduler()
    // Once before, so that the memory of threads and queues is already allocated.
    _ = cost { try await scheduler.sleep(for: .seconds(3600)) }
    let ours = cost { try await scheduler.sleep(for: .seconds(3600)) }
    let theirs = cost { try await Task.sleep(for: .seconds(3600)) }
    return [
      Strain.Finding(
        title: "a task that sleeps on a scheduler, after the other half was cancelled", value: ours.bytes,
        unit: "bytes", aim: "less than by Task.sleep"),
      Strain.Finding(
        title: "a task in Task.sleep, after the other half was cancelled", value: theirs.bytes, unit: "bytes"),
      Strain.Finding(
        title: "to start a task, sleep on a scheduler and be cancelled", value: ours.cpu, unit: "µs",
        aim: "less than by Task.sleep"),
      Strain.Finding(
        title: "to start a task, sleep in Task.sleep and be cancelled", value: theirs.cpu, unit: "µs"),
    ]
  }

  private func cost(_ sleep: @escaping @Sendable () async throws -> Void) -> Cost {
    let ended = FireCounter()
    let (before, bytesBefore) = (ProcessUsage.whenQuiet(), ResidentMemory.allocatedBytes)
    var tasks = (0..<Self.count).map { _ in
      Task.detached {
        try? await sleep()
        ended.note()
      }
    }
    _ = ProcessUsage.whenQuiet()
    for index in stride(from: 0, to: Self.count, by: 2) { tasks[index].cancel() }
    while ended.count < Self.count / 2 { (Uptime.now + Delay(.milliseconds(1))).wait() }
    // Only the sleeps that still wait for their deadlines hold the tasks that have ended.
    tasks = tasks.indices.filter { !$0.isMultiple(of: 2) }.map { tasks[$0] }
    let bytes = ResidentMemory.allocatedBytes - bytesBefore
    for task in tasks { task.cancel() }
    while ended.count < Self.count { (Uptime.now + Delay(.milliseconds(1))).wait() }
    let after = ProcessUsage.whenQuiet()
    return Cost(
      bytes: Double(bytes) / Double(Self.count / 2),
      cpu: (after.cpu - before.cpu).microseconds / Double(Self.count))
  }
}
