/// The limit at which to stop, since one of NIO's operations can take as long as a thousand of other peers'.
struct OperationLimit: Sendable {
  var operations: Int
  var time: Duration
}
