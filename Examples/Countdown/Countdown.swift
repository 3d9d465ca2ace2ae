// Shows the time until the user may request another verification code, on a screen that the user leaves and
// enters again. The countdown has a name, so it goes on without the screen, which finds it by that name. Then
// the program exits.
//
//     swift run Countdown
//     swift run Countdown --from 1 --every 0.2

import Foundation
import TimerScheduling

@main
struct VerificationCode {
  static func main() async {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      try await visitTwice(options)
    } catch {
      print("\(error)\nUsage: swift run Countdown [--from SECONDS] [--every SECONDS]")
      exit(EX_USAGE)
    }
  }

  static func visitTwice(_ options: Options) async throws {
    let scheduler = TimerScheduler()
    let start = ContinuousClock.now
    // The handle that this returns isn't kept: a countdown with a name lives on without one.
    _ = scheduler.countdown(from: options.from, every: options.every, name: "resend")
    let step = Duration.seconds(options.every)

    print("A code was sent. The screen is entered.")
    let visit = Task { await showScreen(scheduler) }
    try await Task.sleep(until: start + step * 1.5)
    visit.cancel()
    await visit.value

    print("The screen was left. Time goes on without it.")
    try await Task.sleep(until: start + step * 3.5)

    print("The screen is entered again after \(start.duration(to: .now).text).")
    await showScreen(scheduler)

    print("After \(start.duration(to: .now).text) the screen is entered once more.")
    await showScreen(scheduler)
  }

  /// Finds the countdown and shows its values, until it ends or the task is cancelled.
  static func showScreen(_ scheduler: TimerScheduler) async {
    guard let countdown = scheduler.countdown(named: "resend") else {
      return print("  No countdown has the name: another code may be asked for.")
    }
    for await remaining in countdown.values {
      print("  Another code in \(remaining.text)")
    }
    print("  The loop has ended, the countdown is \(countdown.timer.state).")
  }
}

struct Options {
  var from = 5.0
  var every = 1.0

  struct Mistake: Error, CustomStringConvertible {
    var description: String
  }

  init(_ arguments: some Sequence<String>) throws {
    var arguments = arguments.makeIterator()
    while let name = arguments.next() {
      let value = arguments.next() ?? ""
      guard let seconds = Double(value), seconds > 0, seconds.isFinite else {
        throw Mistake(description: "\(name) takes a number of seconds above 0, but '\(value)' was given.")
      }
      switch name {
      case "--from": from = seconds
      case "--every": every = seconds
      default: throw Mistake(description: "'\(name)' is no option.")
      }
    }
  }
}

extension Duration {
  fileprivate var text: String {
    "\((self / .seconds(1)).formatted(.number.precision(.fractionLength(2)))) s"
  }
}
