package import Testing

extension Trait where Self == TimeLimitTrait {
  /// Fails a test that hangs. Under a sanitizer, on a busy machine, no other test comes near this limit.
  package static var limited: Self { .timeLimit(.minutes(30)) }
}

extension Duration {
  /// The longest wait of a clock for the main actor. Other tests keep it busy, for minutes on a slow
  /// machine. A test that hangs is ended by its time limit.
  package static var whileMainActorIsBusy: Duration { .seconds(3_600) }
}
