import HTTPTypes
import Hummingbird

/// What browsers say of the page that makes a request. A page can't keep them from it.
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
    // A proxy asks for a host of its own. The browser compares the origin with the address that it has asked for.
    return name == authority || (request.headers[.secFetchSite] == "same-origin" && contains(name))
  }
}
