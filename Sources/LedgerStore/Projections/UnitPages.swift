internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// The stored pages of a divided unit's state.
struct UnitPages {
  private let unit: UnitNumber
  private let table: RowTable

  init(_ unit: UnitNumber, _ table: RowTable) {
    self.unit = unit
    self.table = table
  }

  /// The key of a page: unit, environment, table and page, so that a unit's pages are neighbours.
  func key(_ page: StatePage) -> [UInt8] {
    var key = unit.bigEndianBytes
    key.append(page.environment)
    key.append(page.table)
    key.append(bigEndianHalf: page.index)
    return key
  }

  /// The state with this head and the stored pages; `nil` if it cannot be read, because another
  /// version wrote it or a page is missing. The unit is then folded again.
  ///
  /// - Complexity: O(*n*) in the size of the state.
  /// - Throws: ``LedgerError``: `rebuildNeeded` if a page does not match its checksum.
  func state(
    _ head: [UInt8], _ layout: UnitLayout, _ view: TransactionView
  ) throws(LedgerError) -> Unit? {
    var failure: LedgerError?
    var state: Unit?
    do throws(StateError) {
      state = try Unit(decodingHead: head, of: layout) { page in
        do throws(LedgerError) { return try bytes(of: page, view) } catch {
          failure = error
          return nil
        }
      }
    } catch { state = nil }
    if let failure { throw failure }
    return state
  }

  /// The roster of the state with this head; `nil` if it cannot be read.
  ///
  /// - Complexity: O(*n*) in its accounts and findings.
  /// - Throws: As ``state(_:_:_:)``.
  func roster(
    _ head: [UInt8], _ layout: UnitLayout, _ view: TransactionView
  ) throws(LedgerError) -> UnitRoster? {
    var failure: LedgerError?
    var roster: UnitRoster?
    do throws(StateError) {
      roster = try Unit.roster(decodingHead: head, of: layout) { page in
        do throws(LedgerError) { return try bytes(of: page, view) } catch {
          failure = error
          return nil
        }
      }
    } catch { roster = nil }
    if let failure { throw failure }
    return roster
  }

  private func bytes(
    of page: StatePage, _ view: TransactionView
  ) throws(LedgerError) -> [UInt8]? {
    let key = key(page)
    guard let found = try table.row(key.span, view) else { return nil }
    return [UInt8](copying: found)
  }

  /// The keys of all stored pages of the unit.
  ///
  /// - Complexity: O(*p*) in their number.
  func keys(_ view: TransactionView) throws(LedgerError) -> [[UInt8]] {
    let prefix = unit.bigEndianBytes
    var keys: [[UInt8]] = []
    var cursor = try RowCursor(table, view)
    var found = try cursor.seek(prefix.span)
    while found, cursor.key.starts(with: prefix) {
      keys.append([UInt8](copying: cursor.key))
      found = try cursor.next()
    }
    return keys
  }
}
