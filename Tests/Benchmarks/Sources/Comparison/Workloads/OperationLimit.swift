/// When to stop, as one of NIO's operations can take as long as a thousand of others'.
struct OperationLimit: Sendable {
  var operations: Int
  var time: Duration
}
