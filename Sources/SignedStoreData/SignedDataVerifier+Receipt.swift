public import LedgerEvents

extension SignedDataVerifier {
  /// Verifies an app receipt: PKCS#7, signed with RSA and SHA-256, or SHA-1 if it is older.
  ///
  /// The certificates are checked at the time at which the receipt says that it was created. A
  /// receipt states its app and its type, which must be what the verifier expects.
  ///
  /// - Parameters:
  ///   - file: The receipt as DER or BER, or as base64 with or without line breaks.
  ///   - now: The time of verification. What says that it was created more than a day later is
  ///     refused.
  /// - Throws: ``SignedDataError``, which says which check of which certificate failed.
  /// - Precondition: `now` is between 1970 and 9999.
  /// - Complexity: O(*n*) in the number of bytes, and three checks of RSA.
  public func verify(
    receipt file: [UInt8], at now: Instant
  ) throws(SignedDataError) -> VerifiedReceipt {
    precondition(
      (0...Instant.microsecondsMax).contains(now.microseconds), "a time between 1970 and 9999")
    let signed = try SignedReceipt(file)
    let chain = try ReceiptChain(signed, roots: roots, pinned: pinned)
    guard signed.isSigned(by: chain.key) else {
      throw SignedDataError(
        .badSignature, chain.isLocal ? .local : .leaf,
        "the signature is not that of the certificate's key over this receipt",
        remedy: "Do not believe it: it was changed, or cut short")
    }
    let receipt = try AppReceipt(content: signed.content)
    try checkBundle(of: receipt)
    let environment = try checkedEnvironment(of: receipt, isLocal: chain.isLocal)
    guard let createdAt = receipt.createdAt else {
      throw SignedDataError(
        .noSigningDate, "the receipt does not say when it was created (attribute 12)",
        remedy: "Its certificates cannot be checked: do not believe it")
    }
    try Self.checkLead(of: createdAt, at: now)
    try chain.check(at: createdAt)
    return VerifiedReceipt(
      receipt: receipt, createdAt: createdAt, environment: environment, bundleID: app.bundleID,
      certificates: chain.certificates)
  }

  private func checkBundle(of receipt: AppReceipt) throws(SignedDataError) {
    guard let bundleID = receipt.bundleID else {
      throw SignedDataError(
        .appNotStated, "the receipt does not say which app it is of (attribute 2)",
        remedy: SignedReceipt.takeUnchanged)
    }
    try checkBundleID(bundleID)
  }

  private func checkedEnvironment(
    of receipt: AppReceipt, isLocal: Bool
  ) throws(SignedDataError) -> StoreEnvironment {
    guard let type = receipt.type else {
      throw SignedDataError(
        .environmentNotStated, "the receipt does not say which environment it is from",
        remedy: SignedReceipt.takeUnchanged)
    }
    return try checked(receipt.environment, named: type, isLocal: isLocal)
  }
}
