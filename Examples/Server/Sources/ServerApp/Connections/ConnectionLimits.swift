import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Closes a connection whose client takes too long to send a request, or to take a response.
///
/// Hummingbird's own idle timeout starts anew with each part that arrives, so a client that sends a byte now
/// and then would keep its connection for ever, and one that doesn't read would, too. The limits of a request
/// don't start anew.
package final class ConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  private let times: ConnectionTimes
  private let work: OpenWork
  /// Requests that were begun and whose response hasn't ended, the oldest first.
  private var open: [OpenWork.ID] = []
  /// Whether the end of the newest request is yet to come.
  private var isArriving = false
  /// Whether the newest request asks for another protocol, of which the server has none.
  private var isLast = false
  private var request: Scheduled<Void>?
  private var response: Scheduled<Void>?
  private var pendingWriteCount = 0

  package init(times: ConnectionTimes, work: OpenWork) {
    self.times = times
    self.work = work
  }

  package func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { expectRequest(within: times.head, context) }
  }

  package func channelActive(context: ChannelHandlerContext) {
    expectRequest(within: times.head, context)
    context.fireChannelActive()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  package func handlerRemoved(context: ChannelHandlerContext) { end() }

  // MARK: Requests

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      open.append(work.begin(head.method.rawValue, head.path ?? ""))
      isArriving = true
      isLast = head.method == .connect || head.headerFields[.upgrade] != nil
      // The body of a request that was sent ahead isn't read while the one before is answered.
      if open.count == 1 { expectRequest(within: times.body, context) } else { expectNone() }
    case .body: break
    case .end:
      isArriving = false
      if open.isEmpty { expectRequest(within: times.head, context) } else { expectNone() }
    }
    context.fireChannelRead(data)
  }

  /// Reads on, unless the request was the last one.
  ///
  /// NIO's decoder leaves the bytes after a request for another protocol to a handler of that protocol, and
  /// would keep any number of them, as there is none.
  package func read(context: ChannelHandlerContext) {
    if !isLast || isArriving { context.read() }
  }

  private func expectRequest(within time: TimeAmount, _ context: ChannelHandlerContext) {
    request?.cancel()
    request = close(after: time, context)
  }

  private func expectNone() {
    request?.cancel()
    request = nil
  }

  // MARK: Responses

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let isEnd = if case .end = unwrapOutboundIn(data) { true } else { false }
    pendingWriteCount += 1
    if response == nil { response = close(after: times.response, context) }
    let promise = promise ?? context.eventLoop.makePromise()
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    promise.futureResult.whenComplete { _ in
      bound.value.handler.noteWritten(isEnd: isEnd, bound.value.context)
    }
    context.write(data, promise: promise)
  }

  private func noteWritten(isEnd: Bool, _ context: ChannelHandlerContext) {
    pendingWriteCount -= 1
    response?.cancel()
    response = pendingWriteCount > 0 && context.channel.isActive ? close(after: times.response, context) : nil
    guard isEnd, !open.isEmpty else { return }
    work.end(open.removeFirst())
    guard context.channel.isActive else { return }
    if isLast, open.isEmpty { return context.close(promise: nil) }
    switch (open.count, isArriving) {
    case (0, false): expectRequest(within: times.head, context)
    case (1, true): expectRequest(within: times.body, context)
    default: break
    }
  }

  // MARK: The end

  private func close(after time: TimeAmount, _ context: ChannelHandlerContext) -> Scheduled<Void> {
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    return context.eventLoop.scheduleTask(in: time) { bound.value.close(promise: nil) }
  }

  private func end() {
    request?.cancel()
    response?.cancel()
    for id in open { work.end(id) }
    open = []
  }
}
