extension Array {
  /// Returns what a sort of the whole array would put into a range.
  ///
  /// Two elements of a random sample tell where the range is. Only the elements between them are looked at
  /// further.
  ///
  /// - Complexity: O(*n* + *k* log *k*) on average for a range of *k* elements, most of which differ. In a
  ///   long array, an element is compared one to three times.
  package func sorted(in range: Range<Int>, by isOrdered: (Element, Element) -> Bool) -> [Element] {
    let sampleCount = 200
    guard count > 4 * sampleCount else { return Array(sorted(by: isOrdered)[range]) }
    let sample = (0..<sampleCount).map { _ in self[Int.random(in: indices)] }.sorted(by: isOrdered)

    /// The element of the sample that is some standard deviations away from a position. Nil if the sample has
    /// none.
    func element(at position: Int, deviations: Double) -> Element? {
      let share = Double(position) / Double(count)
      let deviation = (Double(sampleCount) * share * (1 - share)).squareRoot() + 1
      let index = Int(Double(sampleCount) * share + deviations * deviation)
      return sample.indices.contains(index) ? sample[index] : nil
    }
    let first = element(at: range.lowerBound, deviations: -3)
    let last = element(at: range.upperBound, deviations: 3)

    var countBefore = 0
    var near: [Element] = []
    for element in self {
      if let last, isOrdered(last, element) { continue }
      if let first, isOrdered(element, first) {
        countBefore += 1
      } else {
        near.append(element)
      }
    }
    // Where most elements are equal, or the range is a great part, a sample doesn't help.
    guard near.count < count / 2 else { return Array(sorted(by: isOrdered)[range]) }
    let rest = range.lowerBound - countBefore..<range.upperBound - countBefore
    // One sample in a thousand is so unlike the array that the range isn't between the two: another one is
    // taken.
    guard near.indices.contains(rest) else { return sorted(in: range, by: isOrdered) }
    return near.sorted(in: rest, by: isOrdered)
  }
}
