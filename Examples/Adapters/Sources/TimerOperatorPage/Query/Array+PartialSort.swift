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
      let pivot = self[Int.random(in: low..<high)]
      // Three parts: before the pivot, equal to it, and behind it.
      var (before, index, behind) = (low, low, high)
      while index < behind {
        if isOrdered(self[index], pivot) {
          swapAt(before, index)
          before += 1
          index += 1
        } else if isOrdered(pivot, self[index]) {
          behind -= 1
          swapAt(behind, index)
        } else {
          index += 1
        }
      }
      if position < before {
        high = before
      } else if position > behind {
        low = behind
      } else {
        return
      }
    }
  }
}
