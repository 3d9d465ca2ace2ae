import TimerSchedulingFoundation

/// A request to a store.
public struct StoreRequest: Sendable, CustomStringConvertible {
  package let call: any StoreCall

  package init(_ call: some StoreCall) { self.call = call }

  /// The kind of the request, such as `claim` or `end`.
  public var name: String { type(of: call).name }

  /// The request's values as JSON.
  public var json: String {
    get throws { try call.json }
  }

  /// Reads the answer to this request from JSON.
  public func answer(json: String) throws -> StoreAnswer { StoreAnswer(try call.answer(json: json)) }

  /// The kind of the request.
  public var description: String { name }
}

/// The answer to a request to a store.
public struct StoreAnswer: Sendable {
  package let value: any Sendable & Encodable

  package init(_ value: some Sendable & Encodable) { self.value = value }

  /// The answer's values as JSON.
  public var json: String {
    get throws { try value.json }
  }

  func value<Call: StoreCall>(for call: Call) throws -> Call.Answer {
    guard let value = value as? Call.Answer else { throw UnexpectedAnswer("\(value)") }
    return value
  }
}

/// The values of a request, which a store performs on its rows, or by a function in its database.
package protocol StoreCall: Sendable, Encodable {
  associatedtype Answer: Sendable & Codable

  static var name: String { get }
  /// Whether the request changes nothing.
  static var isRead: Bool { get }

  /// Performs the request on a store's rows, as one atomic step.
  func perform(on store: some RowStore) throws -> Answer
}

extension StoreCall {
  package static var isRead: Bool { false }

  func answer(json: String) throws -> Answer {
    do {
      return try JSONDecoder().decode(Answer.self, from: Data(json.utf8))
    } catch is DecodingError {
      throw UnexpectedAnswer(json)
    }
  }
}

extension Encodable {
  var json: String {
    get throws { try json([]) }
  }

  func json(_ formatting: JSONEncoder.OutputFormatting) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
