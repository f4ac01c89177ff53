// If a closure states its error type, the compiler chooses the typed overload, otherwise the
// untyped one.
// swift-format-ignore: AmbiguousTrailingClosureOverload
extension Environment {
  /// Reads in one snapshot, and throws errors of the type that `body` throws.
  ///
  /// A closure with several statements must state that type:
  /// `{ transaction throws(LMDBError) in … }`.
  ///
  /// - Throws: What ``beginRead()`` and `body` throw.
  @inlinable
  public func read<Value: ~Copyable, Failure: LMDBFailure>(
    _ body: (borrowing ReadTransaction) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let transaction: ReadTransaction
    do throws(LMDBError) { transaction = try beginRead() } catch { throw Failure(error) }
    return try body(transaction)
  }

  /// Reads in one snapshot. `body` may throw any error.
  ///
  /// - Throws: what ``beginRead()`` and `body` throw.
  @inlinable
  public func read<Value: ~Copyable>(
    _ body: (borrowing ReadTransaction) throws -> Value
  ) throws -> Value {
    try body(try beginRead())
  }

  /// Writes in one transaction, and throws errors of the type that `body` throws. The transaction
  /// commits when `body` returns, and aborts when it throws.
  ///
  /// A closure with several statements must state that type:
  /// `{ transaction throws(LMDBError) in … }`.
  ///
  /// - Throws: what ``beginWrite()``, `body` and ``WriteTransaction/commit()`` throw.
  @inlinable
  public func write<Value: ~Copyable, Failure: LMDBFailure>(
    _ body: (inout WriteTransaction) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var transaction: WriteTransaction
    do throws(LMDBError) { transaction = try beginWrite() } catch { throw Failure(error) }
    let value = try body(&transaction)
    do throws(LMDBError) { try transaction.commit() } catch { throw Failure(error) }
    return value
  }

  /// Writes in one transaction, which commits when `body` returns and aborts when it throws.
  ///
  /// - Throws: what ``beginWrite()``, `body` and ``WriteTransaction/commit()`` throw.
  @inlinable
  public func write<Value: ~Copyable>(
    _ body: (inout WriteTransaction) throws -> Value
  ) throws -> Value {
    var transaction = try beginWrite()
    let value = try body(&transaction)
    try transaction.commit()
    return value
  }

  /// Reads in one snapshot, with an explicit error type for closures that do not state it.
  ///
  /// - Throws: what ``beginRead()`` and `body` throw.
  @inlinable
  public func read<Value: ~Copyable, Failure: LMDBFailure>(
    throwing failure: Failure.Type, _ body: (borrowing ReadTransaction) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try read(body)
  }

  /// Writes in one transaction, with an explicit error type for closures that do not state it.
  ///
  /// - Throws: what ``beginWrite()``, `body` and ``WriteTransaction/commit()`` throw.
  @inlinable
  public func write<Value: ~Copyable, Failure: LMDBFailure>(
    throwing failure: Failure.Type, _ body: (inout WriteTransaction) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try write(body)
  }
}
