internal import Crypto
internal import Foundation
public import LedgerEvents

/// Verifies what the App Store signed: notifications, transactions, renewal infos and app
/// transactions as JWS.
///
/// ```swift
/// let verifier = SignedDataVerifier(
///   app: ExpectedApp(
///     bundleID: "com.example.shop", appAppleID: 1_234_567_890, environments: [.production]))
/// let data = try verifier.verify(signedPayload, as: .notification, at: now)
/// ```
///
/// Nothing is asked of the network, and no clock is read. The certificates are checked at the time
/// of signing that the payload states, so the same bytes verify for ever: a leaf certificate lives
/// about two years, and a ledger longer. What was revoked is therefore not known here:
/// `daybook pull revocation` asks.
///
/// Sources: RFC 7515 and RFC 7518, 3.4 (JWS and ES256), RFC 5280 (certificates), and Apple's
/// documentation of `JWSDecodedHeader` and of App Store Server Notifications.
public struct SignedDataVerifier: Sendable {
  /// What signed data must say to be believed.
  public let app: ExpectedApp
  /// The certificates at which a chain may end.
  public let roots: TrustedRoots
  /// The certificates of local tests that are believed, for the environments of local tests alone.
  public let pinned: Set<CertificateFingerprint>

  private let chains = RememberedChains()

  /// - Parameters:
  ///   - app: What signed data must say to be believed.
  ///   - roots: The certificates at which a chain may end.
  ///   - pinned: The certificates of Xcode and other local tests, which sign themselves.
  public init(
    app: ExpectedApp, roots: TrustedRoots = .apple, pinned: Set<CertificateFingerprint> = []
  ) {
    self.app = app
    self.roots = roots
    self.pinned = pinned
  }

  /// The number of chains that are remembered.
  var rememberedChainCount: Int { chains.count }

  /// Verifies a JWS and what is in it.
  ///
  /// - Parameters:
  ///   - text: The JWS in compact form, without spaces or line feeds.
  ///   - kind: What it must be; nil to tell that from its members.
  ///   - bundleID: The app that a renewal info is of, which it does not say itself, if you know it:
  ///     because you asked the store for this app's, for example. A transaction that somebody sent
  ///     with it proves nothing, unless its `originalTransactionId` and environment are the same.
  ///   - now: The time of verification. What says that it was signed more than a day later is
  ///     refused.
  /// - Throws: ``SignedDataError``, which says which check of which certificate failed.
  /// - Precondition: `now` is between 1970 and 9999.
  /// - Complexity: O(*n*) in the number of bytes, and one ECDSA check for each JWS. New
  ///   certificates need two more and are remembered.
  public func verify(
    _ text: [UInt8], as kind: SignedDataKind? = nil, ofApp bundleID: String? = nil, at now: Instant
  ) throws(SignedDataError) -> VerifiedData {
    precondition(
      (0...Instant.microsecondsMax).contains(now.microseconds), "a time between 1970 and 9999")
    return try verified(text, as: kind, within: .nothing(ofApp: bundleID), at: now)
  }

  /// What a JWS stands in.
  private enum Surroundings {
    case nothing(ofApp: String?)
    case payload(environment: StoreEnvironment, isLocal: Bool)
  }

  private func verified(
    _ text: [UInt8], as kind: SignedDataKind?, within outer: Surroundings, at now: Instant
  ) throws(SignedDataError) -> VerifiedData {
    let jws = try CompactJWS(text)
    let chain = try signingChain(of: jws)
    let statement = try PayloadStatement(jws.payload, as: kind)
    for stated in statement.apps { try checkBundle(stated, of: statement.kind, within: outer) }
    let environment = try checkedEnvironment(statement, chain, within: outer)
    for stated in statement.apps {
      try checkAppAppleID(stated, of: statement.kind, in: environment)
    }
    var nested: [NestedData] = []
    for inner in statement.nested {
      do throws(SignedDataError) {
        let data = try verified(
          Array(inner.text.utf8), as: inner.kind,
          within: .payload(environment: environment, isLocal: chain.isLocal), at: now)
        nested.append(NestedData(path: inner.path, data: data))
      } catch { throw error.within(inner.path) }
    }
    let signedAt = try checkedTime(statement, nested, at: now)
    try chain.check(at: signedAt)
    return VerifiedData(
      kind: statement.kind, payload: jws.payload, content: statement.content, signedAt: signedAt,
      environment: environment, bundleID: app.bundleID, certificates: chain.certificates,
      nested: nested)
  }

  /// Returns the chain whose leaf signed a JWS. Its validity in time is not checked yet.
  private func signingChain(of jws: CompactJWS) throws(SignedDataError) -> SigningChain {
    let remembered = chains.chain(for: jws.header)
    let chain =
      if let remembered { remembered } else {
        try SigningChain(JWSHeader(jws.header).certificates, roots: roots, pinned: pinned)
      }
    try Self.checkSignature(of: jws, by: chain)
    if remembered == nil { chains.remember(chain, for: jws.header) }
    return chain
  }

  /// Throws if the leaf of a chain did not sign a JWS.
  static func checkSignature(
    of jws: CompactJWS, by chain: SigningChain
  ) throws(SignedDataError) {
    guard isSigned(jws, by: chain.key) else {
      throw SignedDataError(
        .badSignature, chain.isLocal ? .local : .leaf,
        "the signature is not that of the certificate's key over this header and payload",
        remedy: "Do not believe it: it was changed, or cut short")
    }
  }

  private static func isSigned(_ jws: CompactJWS, by key: P256.Signing.PublicKey) -> Bool {
    do {
      let signature = try P256.Signing.ECDSASignature(rawRepresentation: jws.signature)
      return key.isValidSignature(signature, for: SHA256.hash(data: jws.signed))
    } catch {
      // Its length was checked before, so this is no signature of any key.
      return false
    }
  }

  private func checkedTime(
    _ statement: PayloadStatement, _ nested: [NestedData], at now: Instant
  ) throws(SignedDataError) -> Instant {
    // Notifications of 2021 do not state their time. They were signed after what they carry.
    guard let signedAt = statement.signedAt ?? nested.map(\.data.signedAt).max() else {
      throw SignedDataError(
        .noSigningDate, "the payload does not say when it was signed (signedDate)",
        remedy: "Its certificates cannot be checked: do not believe it")
    }
    try Self.checkLead(of: signedAt, at: now)
    return signedAt
  }

  /// Throws if something says that it was signed long after it is verified.
  static func checkLead(of signedAt: Instant, at now: Instant) throws(SignedDataError) {
    guard signedAt.microseconds - now.microseconds <= signingLeadMicrosecondsMax else {
      throw SignedDataError(
        .signedInFuture,
        "the payload says that it was signed at \(signedAt.rfc3339), "
          + "and it is verified at \(now.rfc3339)",
        remedy: "Check the clock of this machine")
    }
  }
}

// MARK: - What it says

extension SignedDataVerifier {
  /// Returns the environment of a payload, which has to be one of those expected and that of the
  /// payload around it.
  private func checkedEnvironment(
    _ statement: PayloadStatement, _ chain: SigningChain, within outer: Surroundings
  ) throws(SignedDataError) -> StoreEnvironment {
    var names = statement.apps.compactMap(\.environment)
    if case .payload(let around, let isLocal) = outer {
      guard isLocal == chain.isLocal, names.allSatisfy({ $0 == around.signedName }) else {
        throw SignedDataError(
          .contradiction,
          "the payload is from \((names.first ?? around.signedName).prefix(40))"
            + "\(chain.isLocal ? " (local)" : ""), and the one around it from "
            + "\(around.signedName)\(isLocal ? " (local)" : "")",
          remedy: "Do not believe it: the store does not mix environments")
      }
      // Transactions of 2021 do not state it. What is around them is signed and does.
      names.append(around.signedName)
    }
    guard let name = names.first else {
      throw SignedDataError(
        .environmentNotStated, "the payload does not say which environment it is from",
        remedy: "Pass the notification that carries it, if there is one")
    }
    guard names.allSatisfy({ $0 == name }) else {
      throw SignedDataError(
        .contradiction, "the parts of the payload name several environments",
        remedy: "Do not believe it: the store does not mix environments")
    }
    return try checked(StoreEnvironment(signedName: name), named: name, isLocal: chain.isLocal)
  }

  /// Returns an environment that is one of those expected, and a local one if a local test signed.
  func checked(
    _ environment: StoreEnvironment?, named name: String, isLocal: Bool
  ) throws(SignedDataError) -> StoreEnvironment {
    if isLocal && environment?.isLocal != true {
      throw SignedDataError(
        .notLocal, .local,
        "a certificate of local testing signed it, and it claims to be from \(name.prefix(40))",
        remedy: "Do not believe it: local tests sign for Xcode and LocalTesting alone")
    }
    guard let environment, app.environments.contains(environment) else {
      let expected = app.environments.sorted().map(\.signedName).joined(separator: " or ")
      throw SignedDataError(
        .otherEnvironment, "expected the environment \(expected), found \(name.prefix(40))",
        remedy: "Name the environment if you want its data, and keep it apart from production's")
    }
    return environment
  }

  private func checkBundle(
    _ stated: PayloadStatement.AppStatement, of kind: SignedDataKind, within outer: Surroundings
  ) throws(SignedDataError) {
    var bundleID = stated.bundleID
    if bundleID == nil, kind == .renewal {
      switch outer {
      case .payload: return
      case .nothing(let known): bundleID = known
      }
    }
    if case .nothing(let known?) = outer, let bundleID, known != bundleID {
      throw SignedDataError(
        .otherApp, "expected the app \(known), found \(bundleID)",
        remedy: "Pass it to the ledger of that app")
    }
    guard let bundleID else {
      throw SignedDataError(
        .appNotStated,
        kind == .renewal
          ? "a renewal info does not say which app it is of"
          : "\(kind.described) without a bundleId does not say which app it is of",
        remedy: kind == .renewal
          ? "Pass the notification that carries it, or name the app yourself"
          : SignedDataError.takeUnchanged)
    }
    try checkBundleID(bundleID)
  }

  func checkBundleID(_ bundleID: String) throws(SignedDataError) {
    guard bundleID.utf8.elementsEqual(app.bundleID.utf8) else {
      throw SignedDataError(
        .otherApp, "expected the app \(app.bundleID), found \(bundleID.prefix(200))",
        remedy: "Pass it to the ledger of that app")
    }
  }

  /// Production's notifications and app transactions state the number of their app. The sandbox
  /// has none, or 0.
  private func checkAppAppleID(
    _ stated: PayloadStatement.AppStatement, of kind: SignedDataKind,
    in environment: StoreEnvironment
  ) throws(SignedDataError) {
    guard environment == .production else { return }
    let isRequired = kind == .notification || kind == .appTransaction
    guard let expected = app.appAppleID else {
      guard isRequired else { return }
      throw SignedDataError(
        .appNotStated,
        "the Apple ID of the app \(app.bundleID) is not given"
          + (stated.appAppleID.map { ", and the payload states \($0)" } ?? ""),
        remedy: "Give it: App Store Connect shows it in the app's information")
    }
    guard let found = stated.appAppleID else {
      guard isRequired else { return }
      throw SignedDataError(
        .appNotStated, "the payload does not state the Apple ID of its app (appAppleId)",
        remedy: SignedDataError.takeUnchanged)
    }
    guard found == expected else {
      throw SignedDataError(
        .otherApp, "expected the app with the Apple ID \(expected), found \(found)",
        remedy: "Pass it to the ledger of that app")
    }
  }
}
