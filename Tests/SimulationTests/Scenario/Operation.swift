import TimerScheduling

/// An operation on the scheduler at one moment. Timers and consumers have numbers, independent of their
/// owners.
enum Operation: Sendable {
  case make(timer: Int, Blueprint)
  /// A new listener to a timer's firings.
  case listen(timer: Int, consumer: Int, BusyTimes)
  /// The task of a consumer is cancelled.
  case leave(consumer: Int)
  /// The test's handle is dropped.
  case drop(timer: Int)
  /// Looks for the timer that has the name.
  case find(Name)
  case pause(timer: Int)
  case resume(timer: Int, ResumeBehavior)
  case beginScope(timer: Int)
  case endScope(timer: Int)
  case pauseAll
  case resumeAll(ResumeBehavior)
  case fire(timer: Int)
  case reschedule(timer: Int, Plan)
  case cancel(timer: Int)
  case cancelAll(owner: Int)
  case releaseOwner(Int)
  case advance(Int64)
  case stall(Int64)
  case setWallClock(by: Int64)
  case shutDown
}

struct Name: Sendable, Hashable {
  var text: String
  /// The number of the owner's place, which one owner has after another.
  var owner: Int?
}

/// The times for which a consumer is busy with its ticks.
struct BusyTimes: Sendable {
  /// One time for each tick, repeated from the start. Not empty.
  var sleeps: [Int64]

  func sleep(after index: Int) -> Int64 { sleeps[index % sleeps.count] }
}

/// The parts from which a timer is made.
struct Blueprint: Sendable {
  enum Form: Sendable {
    /// `ticks(on:)`, whose consumer has the number of the timer.
    case stream(BusyTimes)
    /// `timer(on:)`.
    case timer
    /// `schedule(_:)`, whose action has the number of the timer. It throws with the given run.
    case action(BusyTimes, failsAt: Int?, ActionErrorBehavior)
  }

  var form: Form
  var plan: Plan
  var name: String?
  var owner: Int?
}

extension Operation: CustomStringConvertible {
  var description: String {
    switch self {
    case .make(let timer, let blueprint): "make \(timer): \(blueprint)"
    case .listen(let timer, let consumer, let busyTimes): "listen to \(timer) as \(consumer), \(busyTimes)"
    case .leave(let consumer): "leave consumer \(consumer)"
    case .drop(let timer): "drop handle \(timer)"
    case .find(let name): "find \(name)"
    case .pause(let timer): "pause \(timer)"
    case .resume(let timer, let behavior): "resume \(timer) \(behavior)"
    case .beginScope(let timer): "begin a pausing scope of \(timer)"
    case .endScope(let timer): "end a pausing scope of \(timer)"
    case .pauseAll: "pause all"
    case .resumeAll(let behavior): "resume all \(behavior)"
    case .fire(let timer): "fire \(timer)"
    case .reschedule(let timer, let plan): "reschedule \(timer): \(plan)"
    case .cancel(let timer): "cancel \(timer)"
    case .cancelAll(let owner): "cancel all of owner \(owner)"
    case .releaseOwner(let owner): "release owner \(owner)"
    case .advance(let duration): "advance by \(duration.inSeconds)"
    case .stall(let duration): "stall for \(duration.inSeconds)"
    case .setWallClock(let step): "set the wall clock by \(step.inSeconds)"
    case .shutDown: "shut down"
    }
  }
}

extension Name: CustomStringConvertible {
  var description: String { "\"\(text)\"" + (owner.map { " of owner \($0)" } ?? "") }
}

extension BusyTimes: CustomStringConvertible {
  var description: String {
    "busy for \(sleeps.map(\.inSeconds).joined(separator: ", "))"
  }
}

extension Blueprint: CustomStringConvertible {
  var description: String {
    let form =
      switch form {
      case .stream(let busyTimes): "stream \(busyTimes)"
      case .timer: "timer"
      case .action(let busyTimes, let failsAt, let onError):
        "action \(busyTimes)" + (failsAt.map { ", throws in run \($0), \(onError)" } ?? "")
      }
    let name = name.map { ", \(Name(text: $0, owner: owner))" } ?? owner.map { ", owner \($0)" } ?? ""
    return "\(form); \(plan)\(name)"
  }
}
