extension Array {
  /// Puts into a range what a sort of the whole array would put there, in order. What is outside isn't sorted.
  ///
  /// - Complexity: O(*n* + *k* log *k*) on average for a range of *k* elements.
  package mutating func sort(within range: Range<Int>, by isOrdered: (Element, Element) -> Bool) {
    select(range.lowerBound, in: 0..<count, by: isOrdered)
    select(range.upperBound, in: range.lowerBound..<count, by: isOrdered)
    self[range].sort(by: isOrdered)
  }

  /// Has no element before `position` that belongs behind it, within a part of the array.
  private mutating func select(
    _ position: Int, in part: Range<Int>, by isOrdered: (Element, Element) -> Bool
  ) {
    var (low, high) = (part.lowerBound, part.upperBound)
    while high - low > 1, position > low, position < high {
      let pivot = pivot(for: position, in: low..<high, by: isOrdered)
      var equal = low
      for index in low..<high where isOrdered(self[index], pivot) {
        swapAt(equal, index)
        equal += 1
      }
      if position <= equal {
        high = equal
        continue
      }
      var behind = equal
      for index in equal..<high where !isOrdered(pivot, self[index]) {
        swapAt(behind, index)
        behind += 1
      }
      guard position > behind else { return }
      low = behind
    }
  }

  /// An element to split a part at. In a long part, most elements are on the side of it where `position` isn't.
  private func pivot(
    for position: Int, in part: Range<Int>, by isOrdered: (Element, Element) -> Bool
  ) -> Element {
    let sampleCount = 200
    guard part.count > 20 * sampleCount else { return self[Int.random(in: part)] }
    let sample = (0..<sampleCount).map { _ in self[Int.random(in: part)] }.sorted(by: isOrdered)
    // Where the position is in the sample, give or take some deviations.
    let share = Double(position - part.lowerBound) / Double(part.count)
    let deviation = (Double(sampleCount) * share * (1 - share)).squareRoot()
    let place = Double(sampleCount) * share + (share < 0.5 ? 1 : -1) * (2 * deviation + 1)
    return sample[Swift.min(Swift.max(Int(place), 0), sampleCount - 1)]
  }
}
