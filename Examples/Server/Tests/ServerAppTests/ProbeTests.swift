import HTTPTypes
import Testing

@Suite struct ProbeTests {
  @Test func `A service that has yet to begin is healthy, and not ready`() async throws {
    let bench = Bench()
    #expect(try await bench.respond(to: .get, "/health").status == .ok)
    #expect(try await bench.respond(to: .get, "/ready").status == .serviceUnavailable)
  }

  @Test(arguments: ["/", "/health", "/reports", "/metrics", "/timers", "/timers/page.css"])
  func `HEAD answers as GET does, without a body`(path: String) async throws {
    let bench = Bench()
    let get = try await bench.respond(to: .get, path)
    let head = try await bench.respond(to: .head, path)
    #expect(head.status == get.status)
    #expect(head.headers[.contentType] == get.headers[.contentType])
    #expect(head.body.readableBytes == 0)
  }

  @Test func `A HEAD of the events opens no stream`() async throws {
    let bench = Bench()
    for _ in 0..<200 {
      #expect(try await bench.respond(to: .head, "/timers/events").status == .ok)
    }
  }
}
