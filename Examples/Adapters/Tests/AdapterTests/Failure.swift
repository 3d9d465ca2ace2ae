/// What actions throw here.
struct Failure: Error {}
