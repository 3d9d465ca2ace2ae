import HTTPTypes
public import Hummingbird

/// Takes the client's address and the host from the headers of a proxy that is trusted.
///
/// A proxy such as nginx connects from its own address and may ask for a host that browsers don't know. If
/// the connection comes from an address that is trusted, then for everything after this middleware
/// - the client's address is the last one in `X-Forwarded-For` that isn't a trusted proxy's, and
/// - the host is the last one in `X-Forwarded-Host`, if there is one.
///
/// The headers of all other clients are ignored, since anyone can write them. Add this middleware before the
/// others.
///
/// ```swift
/// router.addMiddleware { TrustedProxyMiddleware(proxies: [AddressRange("127.0.0.1")!]) }
/// router.addMiddleware { HostMiddleware(allowedHosts: ["timers.example"]) }
/// ```
///
/// The context has to conform to `RemoteAddressRequestContext`, or no connection is trusted.
public struct TrustedProxyMiddleware<Context: RequestContext>: RouterMiddleware {
  private let proxies: [AddressRange]

  /// Creates a middleware.
  ///
  /// - Parameter proxies: The addresses of the proxies.
  public init(proxies: [AddressRange]) {
    self.proxies = proxies
  }

  /// Passes the request on, with the host and the address of its client.
  public func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard !proxies.isEmpty, let peer = ClientAddress.ofConnection(context), isTrusted(peer) else {
      return try await next(request, context)
    }
    var head = request.head
    if let host = request.headers.list(.forwardedHost).last { head.authority = host }
    let forwarded = ClientAddress.Forwarded(
      client: client(of: request.headers, behind: peer), connectionHost: request.head.authority)
    return try await ClientAddress.$forwarded.withValue(forwarded) {
      try await next(Request(head: head, body: request.body), context)
    }
  }

  /// The last address that isn't a trusted proxy's. A proxy appends the address that it was called from.
  private func client(of headers: HTTPFields, behind peer: IPAddress) -> IPAddress {
    var client = peer
    for text in headers.list(.forwardedFor).reversed() {
      guard let address = IPAddress(text) else { break }
      client = address
      if !isTrusted(address) { break }
    }
    return client
  }

  private func isTrusted(_ address: IPAddress) -> Bool { proxies.contains { $0.contains(address) } }
}

/// The address that a request comes from.
enum ClientAddress {
  /// The client that a trusted proxy has named, and the host of the proxy's own request.
  struct Forwarded {
    let client: IPAddress
    /// The host that the proxy itself has asked for.
    let connectionHost: String?
  }

  /// The values of a trusted proxy. Nil if the request came from no trusted proxy.
  @TaskLocal static var forwarded: Forwarded?

  /// The address of a request's client. Nil if the server doesn't know it.
  static func of(_ context: some RequestContext) -> IPAddress? { forwarded?.client ?? ofConnection(context) }

  /// The address of a connection's other end.
  static func ofConnection(_ context: some RequestContext) -> IPAddress? {
    (context as? any RemoteAddressRequestContext)?.remoteAddress.flatMap { IPAddress($0) }
  }
}

extension HTTPFields {
  /// The values of all headers of a name, each of which is a list.
  fileprivate func list(_ name: HTTPField.Name) -> [String] {
    self[values: name].flatMap { $0.split(separator: ",") }
      .map { $0.trimming(while: { $0 == " " || $0 == "\t" }) }.filter { !$0.isEmpty }
  }
}

extension Substring {
  fileprivate func trimming(while isTrimmed: (Character) -> Bool) -> String {
    String(drop(while: isTrimmed).reversed().drop(while: isTrimmed).reversed())
  }
}
