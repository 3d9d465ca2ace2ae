import Dispatch
import Foundation
import TimerScheduling

/// A run that is resumed over and over, while two threads start new runs as fast as they can.
struct ResumedRun {
  private static let count = 2_000

  func run() throws -> [Strain.Finding] {
    let scheduler = TimerScheduler()
    let begun = FireCounter()
    let measured = Outcome<[Double]>()
    let feeders = DispatchGroup()
    for _ in 0..<2 {
      feeders.enter()
      Thread.detachNewThread {
        while (try? measured.get()) == nil { scheduler.schedule(.after(.zero)) { _ in begun.note() } }
        feeders.leave()
      }
    }
    measured.set(try blocking { await Self.latenesses(on: scheduler) })
    feeders.wait()
    let sorted = try measured.get().sorted()
    return [
      Strain.Finding(title: "runs begun beside it", value: Double(begun.count), unit: ""),
      Strain.Finding(title: "to resume a run, median", value: sorted[Self.count / 2], unit: "ms"),
      Strain.Finding(
        title: "to resume a run, 99th percentile", value: sorted[Self.count * 99 / 100], unit: "ms",
        aim: "at most 5"),
    ]
  }

  /// The milliseconds from a resumption to its run.
  private static func latenesses(on scheduler: TimerScheduler) async -> [Double] {
    let (results, continuation) = AsyncStream<[Double]>.makeStream()
    scheduler.schedule(.after(.zero)) { _ in
      var latenesses: [Double] = []
      for _ in 0..<count {
        let resumed: Uptime = await withCheckedContinuation { continuation in
          DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(500)) {
            continuation.resume(returning: .now)
          }
        }
        latenesses.append((Uptime.now - resumed).microseconds / 1000)
      }
      continuation.yield(latenesses)
    }
    for await latenesses in results { return latenesses }
    return []
  }
}
