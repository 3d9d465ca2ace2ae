/// The orders of a program that were run, as a tree of their choices.
///
/// It is forgotten if it becomes large. Then a program has so many orders that repeated ones don't matter.
struct OrderTree {
  private final class Node {
    let tasks: [Int]
    /// The node that follows each choice. Nil for a choice that wasn't made.
    var next: [Node?]
    var isComplete: Bool

    /// Makes a point of choice. Without tasks to choose from, it is the end of an order.
    init(_ tasks: [Int] = []) {
      self.tasks = tasks
      next = tasks.map { _ in nil }
      isComplete = tasks.isEmpty
    }
  }

  private static let mostNodes = 200_000

  private var root: Node?
  private var nodeCount = 0
  private var isForgotten = false

  /// Whether all orders were run.
  var isComplete: Bool { root?.isComplete == true }

  /// Adds an order that was run. Returns false if the program has come to other choices than before.
  mutating func add(_ choices: [JobOrder.Choice]) -> Bool {
    if isForgotten { return true }
    if nodeCount > Self.mostNodes {
      (root, isForgotten) = (nil, true)
      return true
    }
    guard let root else {
      root = Self.branch(choices[...])
      nodeCount += choices.count + 1
      return true
    }
    var (path, node) = ([root], root)
    for (position, choice) in choices.enumerated() {
      guard node.tasks == choice.tasks else { return false }
      if let next = node.next[choice.index] {
        node = next
        path.append(next)
        continue
      }
      node.next[choice.index] = Self.branch(choices[(position + 1)...])
      nodeCount += choices.count - position
      for node in path.reversed() { node.isComplete = node.next.allSatisfy { $0?.isComplete == true } }
      return true
    }
    return node.tasks.isEmpty
  }

  private static func branch(_ choices: ArraySlice<JobOrder.Choice>) -> Node {
    choices.reversed().reduce(Node()) { next, choice in
      let node = Node(choice.tasks)
      node.next[choice.index] = next
      node.isComplete = choice.tasks.count == 1 && next.isComplete
      return node
    }
  }

  /// Whether an order was run before, perhaps by another number.
  func contains(_ order: JobOrder) -> Bool {
    guard var node = root else { return false }
    var order = order
    while !node.tasks.isEmpty {
      guard let next = node.next[order.choose(among: node.tasks)] else { return false }
      node = next
    }
    return true
  }

  /// Returns the number of an order that wasn't run. Nil if there is none, or if its number would be too
  /// large.
  var missing: Int? {
    var nodes: [(node: Node, number: Int, weight: Int)] = root.map { [($0, 0, 1)] } ?? []
    while let (node, number, weight) = nodes.popLast() {
      let (next, isTooLarge) = weight.multipliedReportingOverflow(by: max(node.tasks.count, 1))
      if node.isComplete || isTooLarge || next > Int.max / 4 { continue }
      for (index, following) in node.next.enumerated() {
        guard let following else { return JobOrder.firstCounted + number + index * weight }
        nodes.append((following, number + index * weight, next))
      }
    }
    return nil
  }
}
