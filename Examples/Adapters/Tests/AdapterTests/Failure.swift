/// The error that actions throw in these tests.
struct Failure: Error {}
