package import Testing

extension Trait where Self == TimeLimitTrait {
  /// Fails a test that hangs. Under a sanitizer, on a busy machine, no other test comes near this limit.
  package static var limited: Self { .timeLimit(.minutes(30)) }
}
