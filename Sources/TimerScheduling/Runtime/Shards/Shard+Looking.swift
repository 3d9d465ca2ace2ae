/// Counting, finding and listing the entries of a shard.
extension Shard {
  /// The number of entries, and of those that have a deadline.
  var counts: (live: Int, filed: Int) {
    withContents { ($0.queue.count, $0.queue.filedCount) }
  }

  /// Returns the entry with an index, which may be the index of a removed entry.
  func entry(_ index: UInt32) -> Entry? {
    withContents { $0.queue.element(index) }
  }

  /// Returns the entries, or those that are filed on a clock, in no particular order. The lock is held for a part of
  /// them at a time.
  ///
  /// Every entry that is in the shard during the whole walk is found, as its index never changes. An entry without a
  /// deadline counts for the clock of its last filing: a thread that has read the clock may be about to file it again.
  func entries(on timeline: Timeline? = nil) -> [Entry] {
    var entries: [Entry] = []
    var position: UInt32 = 0
    while let next = nextEntries(from: &position, on: timeline) { entries += next }
    return entries
  }

  private func nextEntries(from position: inout UInt32, on timeline: Timeline?) -> [Entry]? {
    let start = position
    let (next, end) = withContents { contents -> ([Entry]?, UInt32) in
      var position = start
      let next = contents.queue.nextElements(from: &position, on: timeline)
      return (next, position)
    }
    position = end
    return next
  }
}
