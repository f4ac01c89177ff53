/// A binary heap, whose least element comes first.
package struct Heap<Element: Comparable & Sendable>: Sendable {
  @usableFromInline var elements: [Element] = []

  @inlinable
  package init() {}

  /// The least element.
  @inlinable package var first: Element? { elements.first }

  /// - Complexity: O(log *n*).
  @inlinable
  package mutating func insert(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0, elements[index] < elements[(index - 1) / 2] {
      elements.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes the least element and returns it.
  ///
  /// - Complexity: O(log *n*).
  @discardableResult
  @inlinable
  package mutating func removeFirst() -> Element? {
    guard let last = elements.popLast() else { return nil }
    guard let first = elements.first else { return last }
    elements[0] = last
    var index = 0
    while true {
      let left = 2 * index + 1
      guard left < elements.count else { return first }
      let right = left + 1
      let least = right < elements.count && elements[right] < elements[left] ? right : left
      guard elements[least] < elements[index] else { return first }
      elements.swapAt(index, least)
      index = least
    }
  }
}
