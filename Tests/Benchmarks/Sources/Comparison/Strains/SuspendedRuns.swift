import TimerScheduling

/// 100,000 runs of actions that are suspended at once, beside as many tasks.
struct SuspendedRuns {
  private static let count = 100_000

  private struct Cost {
    let bytes: Double
    let cpu: Double
  }

  func run() throws -> [Strain.Finding] {
    let scheduler = TimerScheduler()
    // Once before, so that the memory of threads and queues is already allocated.
    _ = try cost { body in Task.detached { await body() } }
    let task = try cost { body in Task.detached { await body() } }
    let run = try cost { body in scheduler.schedule(.after(.zero)) { _ in await body() } }
    return [
      Strain.Finding(title: "a suspended task", value: task.bytes, unit: "bytes"),
      Strain.Finding(
        title: "a suspended run of an action, with its timer", value: run.bytes, unit: "bytes",
        aim: "no more than a task, beside the timer's 265"),
      Strain.Finding(title: "to start, suspend and resume a task", value: task.cpu, unit: "µs"),
      Strain.Finding(
        title: "to schedule, run, suspend and resume an action", value: run.cpu, unit: "µs",
        aim: "no more than a task"),
    ]
  }

  private func cost(_ start: (@escaping @Sendable () async -> Void) -> Void) throws -> Cost {
    let gate = Gate()
    let ended = FireCounter()
    ResidentMemory.trim()
    let (before, bytesBefore) = (ProcessUsage.whenQuiet(), try ResidentMemory.bytes)
    for _ in 0..<Self.count {
      start {
        await gate.wait()
        ended.note()
      }
    }
    while gate.count < Self.count { (Uptime.now + Delay(.milliseconds(1))).wait() }
    let bytes = try ResidentMemory.bytes - bytesBefore
    gate.open()
    while ended.count < Self.count { (Uptime.now + Delay(.milliseconds(1))).wait() }
    let after = ProcessUsage.whenQuiet()
    return Cost(
      bytes: Double(bytes) / Double(Self.count),
      cpu: (after.cpu - before.cpu).microseconds / Double(Self.count))
  }
}
