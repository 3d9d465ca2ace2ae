import Dispatch
import Foundation
import PostgresClient
import Testing

@Suite(.timeLimit(.minutes(30))) struct SocketWaitTests {
  private let pipe = Pipe()
  private let queue = DispatchQueue(label: "test")

  private func wait() async throws {
    try await SocketWait(for: .readable, on: pipe.fileHandleForReading.fileDescriptor, queue: queue)()
  }

  @Test func `A wait ends when there is something to read`() async throws {
    let task = Task { try await wait() }
    try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
    try await task.value
  }

  @Test func `A wait ends when its task is cancelled`() async throws {
    for _ in 0..<200 {
      let task = Task { try await wait() }
      await Task.yield()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test func `A wait of a cancelled task ends`() async throws {
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      try await wait()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
