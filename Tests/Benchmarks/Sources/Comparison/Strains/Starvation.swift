import Dispatch
import Foundation
import TimerScheduling

/// A timer of 10 ms, while threads cancel and schedule timers as fast as they can, each over 50,000 of its
/// own.
struct Starvation {
  let threadCount: Int
  private static let timersPerThread = 50_000
  private static let duration = Duration.seconds(9)
  private static let delays: ClosedRange<Duration> = .seconds(60) ... .seconds(3600)

  func run() throws -> [Strain.Finding] {
    let scheduler = TimerScheduler()
    let title = "\(threadCount) threads cancel and schedule"
    var memory: [Int] = []
    var findings = try TickWatch.compare(scheduler, named: title) {
      let group = DispatchGroup()
      let end = Uptime.now + Delay(Self.duration)
      for number in 0..<threadCount {
        group.enter()
        Thread.detachNewThread {
          var generator = SeededGenerator(seed: UInt64(number))
          func make() -> ScheduledTimer {
            scheduler.schedule(.after(generator.delay(in: Self.delays).duration)) { _ in }
          }
          var timers = (0..<Self.timersPerThread).map { _ in make() }
          while Uptime.now < end {
            for _ in 0..<128 {
              let index = Int.random(in: timers.indices, using: &generator)
              timers[index].cancel()
              timers[index] = make()
            }
          }
          group.leave()
        }
      }
      // When all timers are made, and at the end.
      (end + Delay(.seconds(-6))).wait()
      memory.append(try ResidentMemory.bytes)
      group.wait()
      memory.append(try ResidentMemory.bytes)
    }
    findings.append(
      Strain.Finding(
        title: "growth of memory in six seconds, \(title)", value: Double(memory[1] - memory[0]) / 1e6,
        unit: "MB"))
    return findings
  }
}
