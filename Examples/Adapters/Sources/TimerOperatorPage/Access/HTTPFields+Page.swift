import HTTPTypes
import Hummingbird

extension HTTPField.Name {
  static let accelBuffering = constant("X-Accel-Buffering")
  static let adminToken = constant("X-Admin-Token")
  static let forwardedFor = constant("X-Forwarded-For")
  static let forwardedHost = constant("X-Forwarded-Host")
  static let matchCount = constant("X-Match-Count")
  static let workNumber = constant("X-Work-Number")
  static let secFetchSite = constant("Sec-Fetch-Site")
  static let frameOptions = constant("X-Frame-Options")
  static let referrerPolicy = constant("Referrer-Policy")
  static let resourcePolicy = constant("Cross-Origin-Resource-Policy")

  static func constant(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) isn't the name of a header.") }
    return name
  }
}

extension HTTPFields {
  /// The headers of everything that the page answers.
  ///
  /// Scripts and styles come from this server alone, so a name that was shown without escapes would do
  /// nothing.
  static func page(type: String? = nil) -> HTTPFields {
    var fields: HTTPFields = [
      .cacheControl: "no-store",
      .contentSecurityPolicy: """
      default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; \
      base-uri 'none'; frame-ancestors 'none'
      """,
      .xContentTypeOptions: "nosniff",
      .frameOptions: "DENY",
      .referrerPolicy: "same-origin",
      .resourcePolicy: "same-origin",
    ]
    if let type { fields[.contentType] = type }
    return fields
  }
}

extension Response {
  static func page(_ text: String, type: String) -> Response {
    Response(
      status: .ok, headers: .page(type: type), body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  static func page(_ bytes: [UInt8], type: String) -> Response {
    Response(
      status: .ok, headers: .page(type: type), body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
