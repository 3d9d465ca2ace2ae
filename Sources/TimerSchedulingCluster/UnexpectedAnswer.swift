/// An answer of a store that isn't one of this package's.
struct UnexpectedAnswer: Error, CustomStringConvertible {
  let answer: String

  init(_ answer: String) { self.answer = answer }

  var description: String { "The store's answer isn't one of this package's: \(answer)." }
}
