import HTTPTypes
import Hummingbird

/// Says who may look, and who may act.
struct AccessControl: Sendable {
  let hosts: HostList
  let adminToken: Secret?
  /// What the page's own forms carry. A page of another site can't read it.
  let formToken: Secret

  /// Refuses requests for hosts that this server doesn't go by.
  func checkHost(of request: Request) throws(Refusal) {
    guard let authority = request.head.authority, hosts.contains(authority) else {
      throw Refusal(.forbidden, "This isn't a host under which the page is shown.")
    }
  }

  /// Refuses what comes from a page of another site, as far as the browser says so.
  func checkSite(of request: Request) throws(Refusal) {
    if request.isOfOtherSite {
      throw Refusal(.forbidden, "Requests from other sites are refused.")
    }
  }

  /// Refuses actions without the admin token. If there is none, refuses those that don't show that they are the page's.
  ///
  /// Another site doesn't know the admin token, so that is enough. Without it, a request whose sender says nothing of
  /// where it comes from, such as an old browser's, has to carry the form token.
  func checkRights(of request: Request, with form: ActionForm) throws(Refusal) {
    if let adminToken {
      guard let given = request.adminToken ?? form.token, !given.isEmpty else {
        throw Refusal(.unauthorized, "The admin token is missing.")
      }
      guard adminToken.matches(given) else { throw Refusal(.forbidden, "The admin token is wrong.") }
    } else if request.headers[.secFetchSite] != "same-origin", !request.isOfOwnOrigin {
      guard let given = form.formToken, formToken.matches(given) else {
        throw Refusal(.forbidden, "Nothing shows that this is from the page. Load it again.")
      }
    }
  }
}

extension Request {
  /// Whether the browser says that a page of another site has made the request.
  var isOfOtherSite: Bool {
    if let site = headers[.secFetchSite], site != "same-origin", site != "none" { return true }
    return headers[.origin] != nil && !isOfOwnOrigin
  }

  /// Whether the browser says that a page of this server has made the request.
  fileprivate var isOfOwnOrigin: Bool {
    guard let origin = headers[.origin]?.lowercased(), let authority = head.authority?.lowercased() else {
      return false
    }
    return origin == "http://\(authority)" || origin == "https://\(authority)"
  }

  /// The token in `X-Admin-Token`, or in `Authorization` after `Bearer`.
  fileprivate var adminToken: String? {
    if let token = headers[.adminToken] { return token }
    guard let words = headers[.authorization]?.split(separator: " ", maxSplits: 1), words.count == 2,
      words[0].lowercased() == "bearer"
    else { return nil }
    return String(words[1])
  }
}
