import Foundation
import Testing
import TimerScheduling

@Suite(.tags(.realClock, .stress), .timeLimit(.minutes(10)))
struct StressTests {
  @Test func `Eight tasks make, drop, replace and consume streams of one scheduler`() async {
    let scheduler = TimerScheduler()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          var kept: [AsyncStream<Date>] = []
          for round in 0..<3_000 {
            switch (round + task) % 6 {
            case 0: _ = scheduler.ticks(every: .microseconds(1 + round % 900))
            case 1: kept.append(scheduler.ticks(every: .microseconds(50), name: "name \(round % 5)"))
            case 2: kept.removeAll()
            case 3:
              for await _ in scheduler.ticks(every: .microseconds(20), limit: 3) {}
            case 4:
              let stream = scheduler.ticks(on: .every(0.000_1, starting: .aligned))
              let consumer = Task { for await _ in stream {} }
              consumer.cancel()
              await consumer.value
            default: kept.append(scheduler.ticks(on: .after(.microseconds(round % 200))))
            }
          }
        }
      }
    }
    // Each `await` comes after what the last streams posted.
    #expect(await scheduler.timerCount == 0)
    #expect(scheduler.nameCount == 0)
  }

  @Test func `No tick is delivered to a task after it was cancelled`() async {
    let scheduler = TimerScheduler()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for round in 0..<500 {
            let stream = scheduler.ticks(every: .microseconds(30))
            // What a task gets after it has cancelled itself.
            let ticksTaken = round % 4
            let itself = Task { () -> Date? in
              var iterator = stream.makeAsyncIterator()
              for _ in 0..<ticksTaken { _ = await iterator.next() }
              unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
              return await iterator.next()
            }
            #expect(await itself.value == nil)
            // What a task gets after another has cancelled it, at some point of its cycle of waiting,
            // being woken and taking: nothing that fired after the cancellation.
            let other = scheduler.ticks(every: .microseconds(30))
            let consumer = Task { () -> Date? in
              var last: Date?
              for await date in other { last = date }
              return last
            }
            var iterator = scheduler.ticks(every: .microseconds(1 + round % 97)).makeAsyncIterator()
            _ = await iterator.next()
            consumer.cancel()
            let cancelled = Date()
            if let last = await consumer.value { #expect(last <= cancelled) }
          }
        }
      }
    }
    #expect(await scheduler.timerCount == 0)
  }
}
