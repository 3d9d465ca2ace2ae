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

  @Test func `A client that doesn't take its response is sent away after ten seconds`() throws {
    try receive(Self.head, .end(nil))
    channel.write(Self.response, promise: nil)
    pass(.seconds(9))
    channel.write(HTTPResponsePart.body(ByteBuffer(string: "x")), promise: nil)
    #expect(channel.isActive)
    pass(.seconds(1))
    #expect(!channel.isActive)
    #expect(work.descriptions.isEmpty)
  }

  @Test func `A client that takes each part of a long response keeps its connection`() throws {
    try receive(Self.head, .end(nil))
    try channel.writeOutbound(Self.response)
    for _ in 0..<20 {
      pass(.seconds(9))
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

  @Test func `A request that is answered before its body has arrived still has ten seconds for it`() throws {
    try receive(Self.head)
    try channel.writeOutbound(Self.response)
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    pass(.seconds(5))
    try receive(.end(nil))
    pass(.seconds(59))
    #expect(channel.isActive)
    pass(.seconds(1))
    #expect(!channel.isActive)
  }

  @Test func `The time for a body doesn't begin before the request ahead is answered`() throws {
    try receive(Self.head, .end(nil), Self.head)
    pass(.hours(1))
    #expect(channel.isActive)
    try channel.writeOutbound(Self.response)
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    pass(.seconds(10))
    #expect(!channel.isActive)
  }

  @Test(arguments: ["CONNECT", "GET"])
  func `After a request for another protocol nothing is read, and the connection ends with its response`(
    method: String
  ) throws {
    let reads = ReadCounter()
    try channel.pipeline.syncOperations.addHandler(reads, position: .first)
    var head = HTTPRequest(
      method: try #require(HTTPRequest.Method(method)), scheme: "http", authority: "localhost", path: "/")
    if method == "GET" { head.headerFields[.upgrade] = "x" }
    try receive(.head(head))
    channel.read()
    #expect(reads.count > 0)
    try receive(.end(nil))
    let count = reads.count
    channel.read()
    #expect(reads.count == count)
    try channel.writeOutbound(Self.response)
    #expect(channel.isActive)
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    #expect(!channel.isActive)
  }

  private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = Never
    var count = 0

    func read(context: ChannelHandlerContext) {
      count += 1
      context.read()
    }
  }

  @Test(arguments: [(0, 1_000), (-1, 999), (-1_000, 1), (-100_000, 1)])
  func `There are as many connections as there are files for`(spare: Int, connections: Int) {
    #expect(FileLimit(count: 1_000 + FileLimit.reserve + spare).connectionCount(of: 1_000) == connections)
  }
}
