/// The entries of all shards whose deadlines have come. They are ordered by the moment by which they must be taken,
/// and those with the same moment by the order of filing.
struct ExpiredEntries<Entry: ShardEntry> {
  /// The number of entries taken out of a shard while its lock is held.
  private static var batchSize: Int { 64 }

  private struct Source {
    let shard: Shard<Entry>
    var batch: [Shard<Entry>.Expired] = []
    var position = 0
    var isExhausted = false
  }

  private let timeline: Timeline
  private let now: Deadline
  private var sources: [Source]

  init(in shards: [Shard<Entry>], on timeline: Timeline, at now: Deadline) {
    self.timeline = timeline
    self.now = now
    sources = shards.map { Source(shard: $0) }
  }

  /// Takes the next entry. It stays in its shard, without a deadline.
  mutating func next() -> Entry? {
    var first: (source: Int, latest: Deadline, number: UInt64)?
    for index in sources.indices {
      if sources[index].position == sources[index].batch.count { refill(index) }
      guard sources[index].position < sources[index].batch.count else { continue }
      let (latest, number) = (
        sources[index].batch[sources[index].position].latest,
        sources[index].batch[sources[index].position].number
      )
      if let other = first, (other.latest, other.number) < (latest, number) { continue }
      first = (index, latest, number)
    }
    guard let first else { return nil }
    defer { sources[first.source].position += 1 }
    return sources[first.source].batch[sources[first.source].position].element
  }

  private mutating func refill(_ index: Int) {
    guard !sources[index].isExhausted else { return }
    sources[index].batch = sources[index].shard.takeExpired(on: timeline, at: now, most: Self.batchSize)
    sources[index].position = 0
    sources[index].isExhausted = sources[index].batch.count < Self.batchSize
  }
}
