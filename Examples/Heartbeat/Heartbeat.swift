// Prints ten heartbeats, one every half second, each with its date and its lateness. Then it exits.
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
    let start = Date()
    for await date in TimerScheduler().ticks(on: schedule.limit(options.count)) {
      // Deadlines are multiples of the interval from the start, however late the ticks before were.
      let beats = (date.timeIntervalSince(start) / options.every).rounded(.down)
      let lateness = date.timeIntervalSince(start) - beats * options.every
      let milliseconds = lateness.formatted(.number.scale(1000).precision(.fractionLength(3)))
      print("\(date.formatted(.fractional))  \(milliseconds) ms late")
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
