import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Operations on timers that don't fire.
///
/// These run on the scheduler's own queue, where nothing else runs meanwhile. One pass processes all
/// requests between two suspensions, independent of the system's scheduling of threads.
extension TimerScheduler {
  func replaceTimers(_ count: Int, of population: Int) async {
    var delays = Delays()
    var timers = await inBatches(population) { _ in schedule(.after(delays.later())) { _ in } }
    _ = await inBatches(count) { number in
      timers[number].cancel()
      timers[number] = schedule(.after(delays.later())) { _ in }
    }
    end(holding: timers)
  }

  func replaceOwnedTimers(_ count: Int, of population: Int) async {
    await replace(count, of: population) { Owned($0, on: self) }
  }

  func replaceWeaklyCapturingTimers(_ count: Int, of population: Int) async {
    await replace(count, of: population) { Owned($0, weaklyCapturedOn: self) }
  }

  private func replace(_ count: Int, of population: Int, _ make: (TimerSchedule) -> Owned) async {
    var delays = Delays()
    var timers = await inBatches(population) { _ in make(.after(delays.later())) }
    _ = await inBatches(count) { number in
      timers[number].timer.cancel()
      timers[number] = make(.after(delays.later()))
    }
    end(holding: timers)
  }

  func replaceStreams(_ count: Int, of population: Int) async {
    var delays = Delays()
    var streams = await inBatches(population) { _ in ticks(on: .after(delays.later())) }
    _ = await inBatches(count) { number in streams[number] = ticks(on: .after(delays.later())) }
    end(holding: streams)
  }

  func makeStreams(_ count: Int) async {
    var delays = Delays()
    end(holding: await inBatches(count) { _ in ticks(on: .after(delays.later())) })
  }

  func makeTimers(_ count: Int, on make: (Duration) -> TimerSchedule) async {
    var delays = Delays()
    end(holding: await inBatches(count) { _ in schedule(make(delays.later())) { _ in } })
  }

  func rescheduleTimers(_ count: Int, of population: Int) async {
    var delays = Delays()
    let timers = await inBatches(population) { _ in schedule(.after(delays.later())) { _ in } }
    _ = await inBatches(count) { number in timers[number].reschedule(.after(delays.later())) }
    end(holding: timers)
  }
}

/// A timer, and an object that its action receives or captures.
private struct Owned {
  final class Owner: Sendable {}

  let owner = Owner()
  let timer: ScheduledTimer

  init(_ schedule: TimerSchedule, on scheduler: TimerScheduler) {
    timer = scheduler.schedule(schedule, owner: owner) { _, _ in }
  }

  init(_ schedule: TimerSchedule, weaklyCapturedOn scheduler: TimerScheduler) {
    timer = scheduler.schedule(schedule) { [weak owner] _ in _ = owner }
  }
}
