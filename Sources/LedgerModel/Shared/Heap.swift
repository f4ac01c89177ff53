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
    var place = elements.count - 1
    while place > 0, elements[place] < elements[(place - 1) / 2] {
      elements.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
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
    var place = 0
    while true {
      let left = 2 * place + 1
      guard left < elements.count else { return first }
      let right = left + 1
      let least = right < elements.count && elements[right] < elements[left] ? right : left
      guard elements[least] < elements[place] else { return first }
      elements.swapAt(place, least)
      place = least
    }
  }
}
