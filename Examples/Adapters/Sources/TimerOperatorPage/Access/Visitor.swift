/// The sender of a request.
struct Visitor: Sendable {
  /// The client's address. Nil if the server doesn't know it.
  let address: IPAddress?
  /// The operator's name, if the request has shown it.
  let operatorName: String?
  /// Whether the request has shown it by a login, whose cookie the browser sends by itself.
  let hasLogin: Bool
}
