package import NIOCore

/// The time limits of a connection.
package struct ConnectionTimes: Sendable {
  /// From the connection, or the last response, to the end of the next request's head.
  package var head = TimeAmount.seconds(60)
  /// From a request's head to the end of its body.
  package var body = TimeAmount.seconds(10)
  /// To take a part of a response.
  package var response = TimeAmount.seconds(10)

  package init() {}
}
