import HTTPTypes
import Hummingbird

/// The headers in which a browser says which page makes a request. The page can't change them.
extension HostList {
  /// Whether the browser says that a page of another site has made the request.
  func isOfOtherSite(_ request: Request) -> Bool {
    if let site = request.headers[.secFetchSite], site != "same-origin", site != "none" { return true }
    return request.headers[.origin] != nil && !isOfOwnOrigin(request)
  }

  /// Whether the browser says that a page of this server has made the request.
  func isOfOwnPage(_ request: Request) -> Bool {
    request.headers[.secFetchSite] == "same-origin" || isOfOwnOrigin(request)
  }

  private func isOfOwnOrigin(_ request: Request) -> Bool {
    guard let origin = request.headers[.origin]?.lowercased(),
      let authority = request.head.authority?.lowercased(),
      let name = ["http://", "https://"].first(where: origin.hasPrefix).map({
        String(origin.dropFirst($0.count))
      })
    else { return false }
    // A proxy asks for a host of its own. The browser compares the origin with the address that it has asked
    // for.
    return name == authority || (request.headers[.secFetchSite] == "same-origin" && contains(name))
  }
}

extension Request {
  /// Whether the request has more than one header `Host`. The first is the authority, the others are left
  /// among the headers. A proxy might go by another one than this server, so HTTP has such a request refused.
  var hasSeveralHosts: Bool { headers.contains(.host) }
}

extension HTTPField.Name {
  fileprivate static let host = constant("Host")
}
