/// A binary heap whose elements know where they are, so that any one can be taken out.
struct DeadlineHeap<Payload: Sendable> {
  /// Only the code that has the heap may access its nodes.
  final class Node: @unchecked Sendable {
    fileprivate(set) var deadline: Uptime
    let payload: Payload
    /// The position of the node in the heap, or nil if it isn't there.
    fileprivate var index: Int?

    init(_ payload: Payload) {
      deadline = Uptime(nanoseconds: 0)
      self.payload = payload
    }
  }

  private var nodes: [Node] = []

  var first: Node? { nodes.first }

  /// Puts a node in, or elsewhere.
  mutating func insert(_ node: Node, at deadline: Uptime) {
    remove(node)
    node.deadline = deadline
    nodes.append(node)
    siftUp(nodes.count - 1)
  }

  mutating func remove(_ node: Node) {
    guard let index = node.index else { return }
    node.index = nil
    let last = nodes.removeLast()
    guard last !== node else { return }
    nodes[index] = last
    siftUp(index)
    if let index = last.index { siftDown(index) }
  }

  mutating func popExpired(at now: Uptime) -> Node? {
    guard let first, first.deadline <= now else { return nil }
    remove(first)
    return first
  }

  private mutating func siftUp(_ start: Int) {
    var index = start
    let node = nodes[index]
    while index > 0, node.deadline < nodes[(index - 1) / 2].deadline {
      place(nodes[(index - 1) / 2], at: index)
      index = (index - 1) / 2
    }
    place(node, at: index)
  }

  private mutating func siftDown(_ start: Int) {
    var index = start
    let node = nodes[index]
    while 2 * index + 1 < nodes.count {
      var child = 2 * index + 1
      if child + 1 < nodes.count, nodes[child + 1].deadline < nodes[child].deadline { child += 1 }
      guard nodes[child].deadline < node.deadline else { break }
      place(nodes[child], at: index)
      index = child
    }
    place(node, at: index)
  }

  private mutating func place(_ node: Node, at index: Int) {
    nodes[index] = node
    node.index = index
  }
}
