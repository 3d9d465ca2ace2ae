// Prints ten heartbeats, one every half second: the date at which each was due, how late the loop got it, and
// how much of that time passed until the timer fired. Then it exits.
//
//     swift run Heartbeat
//     swift run Heartbeat --every 0.01 --count 100

import Foundation
import TimerScheduling

@main
struct Heartbeat {
  static func main() async {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      await beat(on: try TimerSchedule(validatingEvery: options.every), options)
    } catch {
      print("\(error)\nUsage: swift run Heartbeat [--every SECONDS] [--count NUMBER]")
      exit(EX_USAGE)
    }
  }

  static func beat(on schedule: TimerSchedule, _ options: Options) async {
    for await tick in TimerScheduler().timer(on: schedule.limit(options.count)).firings {
      let seconds = Date().timeIntervalSince(tick.scheduledDate)
      let late = Duration.seconds(seconds).milliseconds
      let due = tick.scheduledDate.formatted(.fractional)
      print("\(due)  \(late) late, \(tick.lateness.milliseconds) of it until the timer fired")
    }
  }
}

struct Options {
  var every = 0.5
  var count = 10

  struct Mistake: Error, CustomStringConvertible {
    var description: String
  }

  init(_ arguments: some Sequence<String>) throws {
    var arguments = arguments.makeIterator()
    while let name = arguments.next() {
      let value = arguments.next() ?? ""
      switch name {
      case "--every":
        guard let seconds = Double(value) else {
          throw Mistake(description: "--every takes a number of seconds, but '\(value)' was given.")
        }
        every = seconds
      case "--count":
        guard let number = Int(value), number >= 0 else {
          throw Mistake(description: "--count takes a number from 0 up, but '\(value)' was given.")
        }
        count = number
      default:
        throw Mistake(description: "'\(name)' is no option.")
      }
    }
  }
}

extension FormatStyle where Self == Date.ISO8601FormatStyle {
  fileprivate static var fractional: Self { Date.ISO8601FormatStyle(includingFractionalSeconds: true) }
}

extension Duration {
  fileprivate var milliseconds: String {
    (self / .milliseconds(1)).formatted(.number.precision(.fractionLength(3))) + " ms"
  }
}
