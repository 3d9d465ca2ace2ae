import HTTPTypes
import Hummingbird

extension Request {
  /// Leads a browser from an address with a slash at its end to the one without it, with the same query. Nil
  /// for other addresses, and for actions.
  ///
  /// All links of the page are relative to its address, so below a slash they would lead nowhere.
  var redirectBeforeSlash: Response? {
    let path = uri.path
    guard method == .get || method == .head, path.hasSuffix("/"),
      let name = path.split(separator: "/").last
    else { return nil }
    let slashCount = path.reversed().prefix { $0 == "/" }.count
    var headers = HTTPFields.page()
    headers[.location] =
      String(repeating: "../", count: slashCount) + name + (uri.query.map { "?\($0)" } ?? "")
    return Response(status: .permanentRedirect, headers: headers)
  }
}
