import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import ServerApp
import Testing

/// A connection on a clock of NIO's that the test advances.
@Suite struct ConnectionLimitsTests {
  private let work = OpenWork()
  private let channel: EmbeddedChannel

  init() throws {
    channel = EmbeddedChannel(handler: ConnectionLimits(times: ConnectionTimes(), work: work))
    channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
  }

  private func receive(_ parts: HTTPRequestPart...) throws {
    for part in parts { try channel.writeInbound(part) }
  }

  private static let head = HTTPRequestPart.head(
    HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/sessions"))
  private static let byte = HTTPRequestPart.body(ByteBuffer(string: "x"))
  private static let response = HTTPResponsePart.head(HTTPResponse(status: .ok))

  private func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

  @Test func `A client that sends no request is sent away after a minute`() {
    pass(.seconds(60) - .nanoseconds(1))
    #expect(channel.isActive)
    pass(.nanoseconds(1))
    #expect(!channel.isActive)
  }

  // seconds   0  3  6  9 10
  // bytes     x  x  x  x
  @Test func `A client that sends a body byte by byte is sent away after ten seconds`() throws {
    try receive(Self.head)
    for _ in 0..<3 {
      pass(.seconds(3))
      try receive(Self.byte)
    }
    #expect(channel.isActive)
    pass(.seconds(1))
    #expect(!channel.isActive)
    #expect(work.descriptions.isEmpty)
  }

  @Test func `A response may take its time, and then there is a minute for the next request`() throws {
    try receive(Self.head, Self.byte, .end(nil))
    pass(.hours(1))
    #expect(channel.isActive)
    #expect(work.descriptions == ["POST /sessions"])
    try channel.writeOutbound(Self.response)
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    #expect(work.descriptions.isEmpty)
    pass(.seconds(60) - .nanoseconds(1))
    #expect(channel.isActive)
    pass(.nanoseconds(1))
    #expect(!channel.isActive)
  }

  @Test func `A client that doesn't take its response is sent away after half a minute`() throws {
    try receive(Self.head, .end(nil))
    channel.write(Self.response, promise: nil)
    pass(.seconds(29))
    channel.write(HTTPResponsePart.body(ByteBuffer(string: "x")), promise: nil)
    #expect(channel.isActive)
    pass(.seconds(1))
    #expect(!channel.isActive)
    #expect(work.descriptions.isEmpty)
  }

  @Test func `A client that takes each part of a long response keeps its connection`() throws {
    try receive(Self.head, .end(nil))
    try channel.writeOutbound(Self.response)
    for _ in 0..<10 {
      pass(.seconds(29))
      try channel.writeOutbound(HTTPResponsePart.body(ByteBuffer(string: "x")))
    }
    #expect(channel.isActive)
    #expect(work.descriptions == ["POST /sessions"])
    try channel.close().wait()
    #expect(work.descriptions.isEmpty)
  }

  @Test func `Requests that were sent ahead are open until each is answered`() throws {
    try receive(Self.head, .end(nil), Self.head, .end(nil))
    #expect(work.descriptions.count == 2)
    for left in [1, 0] {
      try channel.writeOutbound(Self.response)
      try channel.writeOutbound(HTTPResponsePart.end(nil))
      #expect(work.descriptions.count == left)
    }
    #expect(channel.isActive)
  }

  @Test(arguments: [(1_000, 1_000), (1_064, 1_000), (1_063, 999), (256, 192), (64, 1), (0, 1)].dropFirst())
  func `There are as many connections as there are files for`(files: Int, connections: Int) {
    #expect(FileLimit(count: files).connectionCount(of: 1_000) == connections)
  }
}
