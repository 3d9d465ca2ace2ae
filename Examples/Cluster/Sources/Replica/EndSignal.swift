@unsafe @preconcurrency import Dispatch
import Foundation

/// Waits for a signal that ends a replica, SIGTERM or SIGINT, from the moment when this value is made.
final class EndSignal: Sendable {
  private let signals: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  init() {
    let (signals, continuation) = AsyncStream<Void>.makeStream()
    self.signals = signals
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.finish() }
      source.resume()
      return source
    }
  }

  func wait() async {
    for await _ in signals {}
  }
}
