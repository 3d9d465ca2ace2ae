package import Testing

/// The numbers of what a test holds in Tests/Promises.md and Tests/Hazards.md, which `.ci/promises` writes.
package struct PromiseTrait: TestTrait, SuiteTrait {
  package let numbers: [String]
}

extension Trait where Self == PromiseTrait {
  /// The test fails if the guarantees with these numbers are broken.
  package static func guarantee(_ numbers: String...) -> Self { PromiseTrait(numbers: numbers) }

  /// The test fails if the package has the faults with these numbers.
  package static func hazard(_ numbers: String...) -> Self { PromiseTrait(numbers: numbers) }
}
