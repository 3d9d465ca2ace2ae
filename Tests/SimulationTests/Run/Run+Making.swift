import Foundation
import TimerScheduling
import TimerSchedulingTesting

extension Run {
  func make(_ number: Int, _ blueprint: Blueprint) {
    if let place = blueprint.owner {
      make(number, blueprint, owner: owner(at: place))
    } else {
      makeUnowned(number, blueprint)
    }
  }

  private func makeUnowned(_ number: Int, _ blueprint: Blueprint) {
    let schedule = blueprint.plan.schedule
    switch blueprint.form {
    case .stream(let busyTimes):
      follow(scheduler.ticks(on: schedule, name: blueprint.name), number, blueprint, busyTimes)
    case .timer:
      keep(scheduler.timer(on: schedule, name: blueprint.name), as: number)
    case .action(let busyTimes, let failsAt, let onError):
      let consumer = consumer(number, busyTimes)
      keep(
        scheduler.schedule(schedule, name: blueprint.name, onError: onError) { tick in
          if await consumer.take(Tick(tick)) == failsAt { throw Failure() }
        },
        as: number)
    }
  }

  private func make(_ number: Int, _ blueprint: Blueprint, owner: some AnyObject & Sendable) {
    let schedule = blueprint.plan.schedule
    switch blueprint.form {
    case .stream(let busyTimes):
      follow(scheduler.ticks(on: schedule, name: blueprint.name, owner: owner), number, blueprint, busyTimes)
    case .timer:
      keep(scheduler.timer(on: schedule, name: blueprint.name, owner: owner), as: number)
    case .action(let busyTimes, let failsAt, let onError):
      let consumer = consumer(number, busyTimes)
      keep(
        scheduler.schedule(schedule, name: blueprint.name, owner: owner, onError: onError) { _, tick in
          if await consumer.take(Tick(tick)) == failsAt { throw Failure() }
        },
        as: number)
    }
  }

  private struct Failure: Error {}

  private func consumer(_ number: Int, _ busyTimes: BusyTimes) -> SimulatedConsumer {
    let consumer = SimulatedConsumer(busyTimes, clock)
    consumers[number] = consumer
    return consumer
  }

  private func follow(
    _ stream: AsyncStream<Date>, _ number: Int, _ blueprint: Blueprint, _ busyTimes: BusyTimes
  ) {
    if let text = blueprint.name { namedStreams[Name(text: text, owner: blueprint.owner)] = number }
    follow(stream, as: number, busyTimes) { Tick(date: $0.moment) }
  }

  func listen(to timer: Int, as consumer: Int, _ busyTimes: BusyTimes) {
    guard let handle = handles[timer] else { return }
    follow(handle.firings, as: consumer, busyTimes) { Tick($0) }
  }

  private func follow<Element: Sendable>(
    _ sequence: some AsyncSequence<Element, Never> & Sendable, as number: Int, _ busyTimes: BusyTimes,
    _ tick: @escaping @Sendable (Element) -> Tick
  ) {
    let consumer = consumer(number, busyTimes)
    tasks[number] = clock.addTask { await consumer.follow(sequence, tick) }
  }
}
