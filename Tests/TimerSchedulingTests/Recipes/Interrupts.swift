import Dispatch
import Foundation
import TimerScheduling

/// The signals of a kind that the process gets, such as the SIGINT of Ctrl-C. Once this returns, they don't
/// end it any more.
func interrupts(by number: Int32 = SIGINT) async -> AsyncStream<Void> {
  #if canImport(Darwin)
  // Only on Linux does Dispatch replace what the signal does by default.
  signal(number, SIG_IGN)
  #endif
  let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
  let source = DispatchSource.makeSignalSource(signal: number)
  // The source lives as long as its handler, which it holds itself: as long as the process.
  source.setEventHandler {
    _ = source
    continuation.yield()
  }
  await withCheckedContinuation { ready in
    source.setRegistrationHandler { ready.resume() }
    source.activate()
  }
  return stream
}

/// Works each second until the first interrupt, then lets a run that is under way return.
func work(
  on scheduler: TimerScheduler, until interrupts: AsyncStream<Void>,
  action: @escaping @Sendable () async -> Void
) async throws {
  scheduler.schedule(every: 1) { _ in await action() }
  try await scheduler.run { for await _ in interrupts { return } }
}
