import TimerScheduling

/// A view model whose timers need no mark.
@MainActor final class Slideshow {
  private(set) var slide = 0
  private(set) var remaining: [Duration] = []

  func start(_ scheduler: TimerScheduler) {
    scheduler.schedule(every: 0.001, limit: 3, owner: self) { show, _ in show.next() }
    scheduler.schedule(every: 0.001, limit: 3) { _ in
      MainActor.preconditionIsolated()
      self.next()
    }
    scheduler.schedule(after: 0.001) { tick in self.advance(tick) }
    scheduler.countdown(from: 0.002, every: 0.001, owner: self) { show, value in show.remaining.append(value)
    }
  }

  private func next() { slide += 1 }

  private func advance(_ tick: TimerTick) { next() }

  var isDone: Bool { slide == 7 && remaining.last == .zero }
}

/// An actor, with an action that uses it and one that it owns.
actor Meter {
  private(set) var count = 0

  func start(_ scheduler: TimerScheduler) {
    scheduler.schedule(every: 0.001, limit: 3) { _ in
      self.assertIsolated()
      self.count += 1
    }
    scheduler.schedule(every: 0.001, limit: 3, owner: self) { meter, _ in meter.count += 1 }
  }

  var isDone: Bool { count == 6 }
}

/// Code of no actor.
nonisolated func countTicks(_ scheduler: TimerScheduler) async -> Int {
  let (stream, continuation) = AsyncStream.makeStream(of: TimerTick.self)
  scheduler.schedule(every: 0.001, limit: 3) { tick in
    precondition(#isolation == nil)
    continuation.yield(tick)
    if tick.index == 2 { continuation.finish() }
  }
  return await stream.reduce(0) { count, _ in count + 1 }
}

/// Runs all three, and prints the numbers of their runs.
@MainActor func runClients() async throws {
  let (scheduler, show, meter) = (TimerScheduler(), Slideshow(), Meter())
  show.start(scheduler)
  await meter.start(scheduler)
  let ticks = await countTicks(scheduler)
  while !show.isDone { try await scheduler.sleep(for: 0.001) }
  while await !meter.isDone { try await scheduler.sleep(for: 0.001) }
  print(show.slide, await meter.count, ticks)
}
