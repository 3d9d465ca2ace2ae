import HTTPTypes
import Hummingbird
import NIOCore

/// What a form sends with an action.
struct ActionForm: Decodable {
  let token: String?
  let formToken: String?
  /// The keys of the timers that are selected.
  let timer: [String]?
  /// Is there if all timers that meet the page's query are selected.
  let all: String?

  /// Reads the form from the body of a request, which may be empty.
  init(of request: Request) async throws(Refusal) {
    let body: ByteBuffer
    do {
      body = try await request.body.collect(upTo: 16_384)
    } catch is NIOTooManyBytesError {
      throw Refusal(.contentTooLarge, "The form is too long.")
    } catch {
      throw Refusal(.badRequest, "The request is incomplete.")
    }
    if body.readableBytes > 0, request.mediaType != "application/x-www-form-urlencoded" {
      throw Refusal(.unsupportedMediaType, "The body has to be a form.")
    }
    guard let text = String(validating: body.readableBytesView, as: UTF8.self),
      let form = try? URLEncodedFormDecoder().decode(ActionForm.self, from: text)
    else { throw Refusal(.badRequest, "The form is malformed.") }
    self = form
  }
}

extension Request {
  fileprivate var mediaType: String? {
    headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
  }
}
