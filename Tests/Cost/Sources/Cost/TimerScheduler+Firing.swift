import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Operations on timers that fire: `count` of the population, all in one pass, as the queue is held until the
/// last of their deadlines has passed.
extension TimerScheduler {
  func fireStreams(_ count: Int, of population: Int) async {
    var delays = Delays()
    let streams = await inBatches(population) { number in
      ticks(on: .after(delays.soon(number < count)))
    }
    await hold(Delays.longest)
    for await _ in streams[count - 1] { break }
    end(holding: streams)
  }

  func fireOnce(_ count: Int, of population: Int) async {
    await resumeConsumers(count, of: population) { ticks(on: .after($0)) }
  }

  func resumeConsumers(_ count: Int, of population: Int) async {
    await resumeConsumers(count, of: population) { ticks(every: .seconds(3600), starting: .after($0)) }
  }

  private func resumeConsumers(
    _ count: Int, of population: Int, _ make: (Duration) -> AsyncStream<Date>
  ) async {
    var delays = Delays()
    let gathering = Gathering(of: count)
    let consumers = await inBatches(population) { number in
      let stream = make(delays.soon(number < count))
      return Task.detached {
        for await _ in stream { gathering.arrive() }
      }
    }
    await hold(Delays.longest)
    await gathering.wait()
    await settle()
    end(holding: consumers)
  }

  func runActions(_ count: Int, of population: Int) async {
    var delays = Delays()
    let gathering = Gathering(of: count)
    let timers = await inBatches(population) { number in
      schedule(.every(.seconds(3600), starting: .after(delays.soon(number < count)))) { _ in
        gathering.arrive()
      }
    }
    await hold(Delays.longest)
    await gathering.wait()
    await settle()
    end(holding: timers)
  }

  /// Makes tasks that wait for ticks. With one processor, all of them have begun to wait at the end.
  func makeConsumers(_ count: Int) async {
    let consumers = await inBatches(count) { _ in
      Task.detached { [self] in
        for await _ in ticks(every: .seconds(3600)) {}
      }
    }
    end(holding: consumers)
  }

  /// Ends a timer while tasks wait for its ticks through one listener.
  func endTimer(ofTasks count: Int) async {
    let timer = timer(on: .every(.seconds(3600)))
    let (firings, begun) = (timer.firings, Gathering(of: count))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          begun.arrive()
          for await _ in firings {}
        }
      }
      await begun.wait()
      timer.cancel()
    }
    end(holding: [timer])
  }
}
