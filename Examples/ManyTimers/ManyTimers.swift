// Runs 100,000 timers with actions, of random phases and of intervals of one to five seconds, over one
// scheduler. Prints a line every second, then the lateness and the cost of the ticks. Then it exits.
//
//     swift run -c release ManyTimers
//     swift run -c release ManyTimers --count 1000000 --seconds 10
//
// More timers have longer intervals, so that there are never more than some 40,000 ticks a second: each runs
// an action in a task, and a processor does some 300,000 of these.

import Foundation
import Synchronization
import TimerScheduling

@main
struct ManyTimers {
  static func main() async {
    do {
      await run(try Options(CommandLine.arguments.dropFirst()))
    } catch {
      print("\(error)\nUsage: swift run -c release ManyTimers [--count NUMBER] [--seconds NUMBER]")
      exit(EX_USAGE)
    }
  }

  static func run(_ options: Options) async {
    // 100,000 of these timers have some 40,000 deadlines a second, and a wakeup for each would cost more than
    // the ticks do. With a tolerance of 5 ms, there are about 200 wakeups a second instead.
    var configuration = TimerScheduler.Configuration()
    configuration.tolerance = .milliseconds(5)
    let scheduler = TimerScheduler(configuration: configuration)

    let start = ContinuousClock.now
    let record = LatenessRecord()
    let scale = max(1, Double(options.count) / 100_000)
    for _ in 0..<options.count {
      let interval = Double.random(in: 1...5) * scale
      let phase = Duration.seconds(.random(in: 0..<interval))
      scheduler.schedule(.every(interval, starting: .after(phase))) { tick in record.note(tick.lateness) }
    }
    print("\(options.count.formatted()) timers were made in \(start.duration(to: .now).text).")

    for await _ in scheduler.ticks(every: 1, limit: options.seconds) {
      print("\(record.count.formatted()) ticks so far.")
    }
    let (ran, computed) = (start.duration(to: .now), Double(clock()) / Double(CLOCKS_PER_SEC))
    let late = [0.5, 0.99, 1].map { record.quantile($0).text }

    print("\(await scheduler.snapshots.count.formatted()) timers are live.")
    await scheduler.cancelAll()
    print("\(await scheduler.snapshots.count) timers are live after cancelAll().")
    print("Ticks were late by \(late[0]) in the median, \(late[1]) at 99%, \(late[2]) at most.")
    print("All took \(Duration.seconds(computed).text) of processor time in \(ran.text).")
  }
}

/// Counts ticks by their lateness.
///
/// The buckets are those of a float's exponent and the first five bits of its fraction: 3% wide, whatever the
/// magnitude. A tick is never early, so none is for the sign.
final class LatenessRecord: Sendable {
  private let buckets = Mutex([Int](repeating: 0, count: 1 << 13))

  var count: Int { buckets.withLock { $0.reduce(0, +) } }

  func note(_ lateness: Duration) {
    let bucket = Int(Float(lateness / .seconds(1)).bitPattern >> 18)
    buckets.withLock { $0[bucket] += 1 }
  }

  /// The lateness that this share of the ticks didn't exceed.
  func quantile(_ share: Double) -> Duration {
    let buckets = buckets.withLock(\.self)
    let rank = Double(buckets.reduce(0, +)) * share
    var count = 0
    for (bucket, ticks) in buckets.enumerated() {
      count += ticks
      if Double(count) >= rank { return .seconds(Double(Float(bitPattern: UInt32(bucket + 1) << 18))) }
    }
    return .zero
  }
}

struct Options {
  var count = 100_000
  var seconds = 5

  struct Mistake: Error, CustomStringConvertible {
    var description: String
  }

  init(_ arguments: some Sequence<String>) throws {
    var arguments = arguments.makeIterator()
    while let name = arguments.next() {
      let value = arguments.next() ?? ""
      guard let number = Int(value), number >= 0 else {
        throw Mistake(description: "\(name) takes a number from 0 up, but '\(value)' was given.")
      }
      switch name {
      case "--count": count = number
      case "--seconds": seconds = number
      default: throw Mistake(description: "'\(name)' is no option.")
      }
    }
  }
}

extension Duration {
  fileprivate var text: String {
    "\((self / .milliseconds(1)).formatted(.number.precision(.fractionLength(1)))) ms"
  }
}
