internal import LMDB

/// A page of nodes: a branch, which leads to other pages, or a leaf, which has keys and values
/// (`MDB_page`, `MDB_node`). Everything in it was checked when it was read.
package struct TreePage: Sendable {
  /// What a page of nodes is.
  package enum Kind: Sendable {
    case branch
    case leaf
  }

  /// Where the value of a node of a leaf is.
  package enum Value: Hashable, Sendable {
    /// In the page.
    case inPage(Range<Int>)
    /// On pages of its own, of which the first has this number, with so many bytes.
    case pages(UInt64, Int)
    /// In the page: the record of a named table.
    case table(Range<Int>)
  }

  /// The page's number.
  package let number: UInt64
  /// What it is.
  package let kind: Kind
  /// The whole page.
  package let bytes: [UInt8]
  /// Nodes of a damaged page that do not join the others.
  private let looseNodes: Set<Int>
  /// Where its nodes are, in the order of their keys.
  private let nodes: [Int]

  static let headerBytes = 16
  static let flagsAt = 10
  static let lowerAt = 12
  private static let upperAt = 14
  private static let branchFlag: UInt16 = 0x01
  private static let leafFlag: UInt16 = 0x02
  static let overflowFlag: UInt16 = 0x04
  private static let nodeHeaderBytes = 8
  private static let pagesFlag: UInt16 = 0x01
  private static let tableFlag: UInt16 = 0x02

  /// The longest key in bytes (`MDB_MAXKEYSIZE`).
  private static let keyBytesMax = 511

  /// Reads a page.
  ///
  /// The nodes of a page follow each other from `upper` to the page's end, without gaps,
  /// because LMDB moves them together whenever it removes one (`mdb_node_del`).
  package init(_ bytes: [UInt8], number: UInt64) throws(PageDoubt) {
    let page = bytes.span
    let stated: UInt64 = page.littleEndian(at: 0)
    guard stated == number else { throw PageDoubt("it says that it is page \(stated)") }
    let flags: UInt16 = page.littleEndian(at: Self.flagsAt)
    switch flags {
    case Self.branchFlag: kind = .branch
    case Self.leafFlag: kind = .leaf
    default: throw PageDoubt("its flags are \(flags), which are those of no page of a tree")
    }
    let lower = Int(page.littleEndian(UInt16.self, at: Self.lowerAt))
    let upper = Int(page.littleEndian(UInt16.self, at: Self.upperAt))
    guard lower >= Self.headerBytes, lower % 2 == 0, lower <= upper, upper <= bytes.count else {
      throw PageDoubt("its free space is from byte \(lower) to byte \(upper)")
    }
    nodes = stride(from: Self.headerBytes, to: lower, by: 2).map { offset in
      Int(page.littleEndian(UInt16.self, at: offset))
    }
    looseNodes = []
    self.bytes = bytes
    self.number = number
    guard !nodes.isEmpty else { throw PageDoubt("it is empty") }
    var end = upper
    for node in nodes.sorted() {
      guard node == end, node + Self.nodeHeaderBytes <= bytes.count else {
        throw PageDoubt("its node at byte \(node) is not where the one before it ends")
      }
      end = node + (try Self.byteCount(of: page, at: node, kind))
      guard end <= bytes.count else {
        throw PageDoubt("its node at byte \(node) reaches beyond its end")
      }
    }
    guard end == bytes.count else { throw PageDoubt("its nodes end at byte \(end)") }
  }

  /// Reads what can be read of a page that is not whole: each of its nodes that lies within it, and
  /// looks like the node of a leaf.
  package init(loose bytes: [UInt8], number: UInt64) throws(PageDoubt) {
    let page = bytes.span
    let lower = Int(page.littleEndian(UInt16.self, at: Self.lowerAt))
    var end = Self.headerBytes..<bytes.count ~= lower ? lower : bytes.count
    var found: [Range<Int>] = []
    var offset = Self.headerBytes
    // The list of nodes ends where the first of them begins, whatever the header says.
    while offset + 2 <= end {
      let node = Int(page.littleEndian(UInt16.self, at: offset))
      offset += 2
      guard node >= offset, node % 2 == 0, node + Self.nodeHeaderBytes <= bytes.count else {
        continue
      }
      do throws(PageDoubt) {
        let count = try Self.byteCount(of: page, at: node, .leaf)
        guard node + count <= bytes.count else { continue }
        found.append(node..<node + count)
      } catch { continue }
      end = min(end, node)
    }
    guard !found.isEmpty else { throw PageDoubt("nothing in it looks like a row") }
    let starts = Set(found.map(\.lowerBound)).union([bytes.count])
    let ends = Set(found.map(\.upperBound))
      .union([Int(page.littleEndian(UInt16.self, at: Self.upperAt))])
    nodes = found.map(\.lowerBound)
    looseNodes = Set(
      found.filter { !ends.contains($0.lowerBound) || !starts.contains($0.upperBound) }
        .map(\.lowerBound))
    kind = .leaf
    self.bytes = bytes
    self.number = number
  }

  /// Whether a node of a damaged page does not join the nodes before and after it: then it may be
  /// no node at all, and says nothing without a proof.
  package func isLoose(_ index: Int) -> Bool { looseNodes.contains(nodes[index]) }

  /// How many bytes a node takes, which is an even number.
  private static func byteCount(
    of page: Span<UInt8>, at node: Int, _ kind: Kind
  ) throws(PageDoubt) -> Int {
    let key = Int(page.littleEndian(UInt16.self, at: node + 6))
    guard key <= keyBytesMax else { throw PageDoubt("it has a key of \(key) bytes") }
    var size = nodeHeaderBytes + key
    if kind == .leaf {
      guard key > 0 else { throw PageDoubt("it has a key without bytes") }
      let value = Int(page.littleEndian(UInt32.self, at: node))
      switch page.littleEndian(UInt16.self, at: node + 4) {
      case 0: size += value
      case tableFlag:
        guard value == TreeRecord.byteCount else {
          throw PageDoubt("the record of a table has \(value) bytes")
        }
        size += value
      case pagesFlag: size += MemoryLayout<UInt64>.size
      case let flags: throw PageDoubt("its node at byte \(node) has the flags \(flags)")
      }
    }
    return size + size % 2
  }

  /// How many nodes it has; at least one.
  package var count: Int { nodes.count }

  /// The key of a node. That of the first node of a branch says nothing.
  package func key(_ index: Int) -> ArraySlice<UInt8> {
    let node = nodes[index]
    let count = Int(bytes.span.littleEndian(UInt16.self, at: node + 6))
    return bytes[node + Self.nodeHeaderBytes..<node + Self.nodeHeaderBytes + count]
  }

  /// The page that a node of a branch leads to.
  package func child(_ index: Int) -> UInt64 {
    let node = nodes[index]
    let low = UInt64(bytes.span.littleEndian(UInt32.self, at: node))
    return low | UInt64(bytes.span.littleEndian(UInt16.self, at: node + 4)) << 32
  }

  /// The value of a node of a leaf.
  package func value(_ index: Int) -> Value {
    let node = nodes[index]
    let start = key(index).endIndex
    let size = Int(bytes.span.littleEndian(UInt32.self, at: node))
    switch bytes.span.littleEndian(UInt16.self, at: node + 4) {
    case Self.pagesFlag: return .pages(bytes.span.littleEndian(at: start), size)
    case Self.tableFlag: return .table(start..<start + size)
    default: return .inPage(start..<start + size)
    }
  }
}
