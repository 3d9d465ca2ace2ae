import HTTPTypes
import Hummingbird
import NIOCore

/// The fields that a form sends with an action.
struct ActionForm: Decodable {
  let formToken: String?
  /// The keys of the timers that are selected.
  let timer: [String]?
  /// Is there if all timers that meet the page's query are selected.
  let all: String?
  /// The number of these that the operator expects.
  let expected: String?
  /// The job of the cluster or the handler, what to do to it, and why.
  let job: String?
  let handler: String?
  let action: String?
  let reason: String?
  /// The names of the jobs that are selected.
  let name: [String]?
  /// The date of a run that is asked for.
  let at: String?
  /// The first and the last date of a backfill.
  let from: String?
  let to: String?
}

/// The fields that a form sends to log in or out.
struct LoginForm: Decodable {
  let token: String?
  let formToken: String?
}

extension Request {
  /// Reads a form from the body, which may be empty.
  func form<Form: Decodable>(_: Form.Type, upTo limit: Int = 16_384) async throws(Refusal) -> Form {
    let body: ByteBuffer
    do {
      body = try await self.body.collect(upTo: limit)
    } catch is NIOTooManyBytesError {
      throw Refusal(.contentTooLarge, "The form is too long.")
    } catch {
      throw Refusal(.badRequest, "The request is incomplete.")
    }
    if body.readableBytes > 0, mediaType != "application/x-www-form-urlencoded" {
      throw Refusal(.unsupportedMediaType, "The body has to be a form.")
    }
    guard let text = String(validating: body.readableBytesView, as: UTF8.self),
      let form = try? URLEncodedFormDecoder().decode(Form.self, from: text)
    else { throw Refusal(.badRequest, "The form is malformed.") }
    return form
  }

  private var mediaType: String? {
    headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
  }
}
