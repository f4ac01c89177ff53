package import SignedStoreData
import SwiftASN1
import Synchronization
import X509

/// What is known of a certificate's revocation.
package enum RevocationAnswer: Sendable, Equatable {
  /// The issuer's responder stands by it.
  case good
  /// The issuer's responder says that it was revoked.
  case revoked
  /// Nobody could be asked, or said anything that can be believed. That proves nothing.
  case unanswered(String)
}

/// A certificate, and what its issuer's responder said of it.
package struct CertificateAnswer: Sendable {
  package let certificate: SigningCertificate
  /// Who was asked; nil if the certificate names nobody who can be.
  package let responder: String?
  package let answer: RevocationAnswer
}

/// Asks the issuers of certificates whether they were revoked (OCSP, RFC 6960), each once.
///
/// swift-certificates makes the requests and judges the answers: the signature of the issuer or of
/// a responder that it authorized, the dates in the answer, and the nonce if the answer has one.
/// The certificates themselves may have expired: what they signed is believed at its time.
package actor RevocationCheck {
  /// The most requests in one run. The store signs with a few certificates at a time.
  package static let requestsMax = 64
  /// The largest answer, in bytes. Apple's have two kilobytes.
  package static let answerBytesMax = 64 * 1024
  /// How long an answer may take, in seconds. Below the ten that swift-certificates allows.
  package static let answerSecondsMax: Int64 = 5

  private let transport: any StoreTransport
  private let asksThisMachine: Bool
  private let userAgent: String
  private let notice: @Sendable (String) -> Void
  private var known: [[CertificateFingerprint]: CertificateAnswer] = [:]
  private var requests = 0

  /// - Parameters:
  ///   - asksThisMachine: Whether a responder on this machine is asked, as in tests.
  ///   - notice: Told once of each certificate about which nothing could be learnt.
  package init(
    transport: any StoreTransport, asksThisMachine: Bool, userAgent: String,
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    (self.transport, self.asksThisMachine) = (transport, asksThisMachine)
    (self.userAgent, self.notice) = (userAgent, notice)
  }

  /// What is known of the leaf and of the intermediate. Who was asked before is not asked again,
  /// even if there was no answer.
  package func answers(about chain: SignerChain) async -> [CertificateAnswer] {
    var answers: [CertificateAnswer] = []
    for index in chain.certificates.indices.dropLast() {
      let key = chain.certificates[index...].map(\.fingerprint)
      if let answer = known[key] {
        answers.append(answer)
        continue
      }
      let answer = await ask(about: chain, from: index)
      known[key] = answer
      answers.append(answer)
      if case .unanswered(let reason) = answer.answer {
        notice(
          "nobody said whether the \(answer.certificate.role) certificate "
            + "\(answer.certificate.serialNumber) was revoked: \(reason)")
      }
    }
    return answers
  }

  private func ask(about chain: SignerChain, from index: Int) async -> CertificateAnswer {
    let certificate = chain.certificates[index]
    func unanswered(_ reason: String, _ responder: String? = nil) -> CertificateAnswer {
      CertificateAnswer(
        certificate: certificate, responder: responder, answer: .unanswered(reason))
    }
    let path: [Certificate]
    do { path = try chain.encoded[index...].map { try Certificate(derEncoded: $0) } } catch {
      return unanswered("a certificate cannot be read")
    }
    // The policy refuses such a root as it refuses what was revoked.
    guard !ResponderAddress.isNamed(in: path[path.count - 1]) else {
      return unanswered("the root certificate names a responder, which roots must not")
    }
    let address: ResponderAddress
    do throws(ResponderAddress.Unusable) {
      address = try ResponderAddress(of: path[0], allowsThisMachine: asksThisMachine)
    } catch { return unanswered(error.reason) }
    let answer = await judged(path, address)
    return CertificateAnswer(certificate: certificate, responder: address.text, answer: answer)
  }

  /// Asks for the first certificate of a path.
  ///
  /// The policy says only whether it is met. The hard one is met by a good certificate alone. If it
  /// is not, the soft one tells why: it fails for what a believed answer says is revoked, and for
  /// nothing else.
  private func judged(
    _ path: [Certificate], _ address: ResponderAddress
  ) async -> RevocationAnswer {
    var unusable = ""
    for mode in [OCSPFailureMode.hard, .soft] {
      guard requests < Self.requestsMax else {
        return .unanswered("more than \(Self.requestsMax) requests in one run")
      }
      requests += 1
      let query = OneQuery(address: address, transport: transport, userAgent: userAgent)
      let verdict = Verdict()
      var verifier = Verifier(rootCertificates: CertificateStore([path[path.count - 1]])) {
        NotingPolicy(path, OCSPVerifierPolicy(failureMode: mode, requester: query), verdict)
      }
      _ = await verifier.validate(
        leaf: path[0], intermediates: CertificateStore(path.dropFirst().dropLast()))
      if let fault = query.fault { return .unanswered(fault) }
      guard query.isAnswered, let result = verdict.result else {
        return .unanswered("the responder was not asked: the chain cannot be built")
      }
      switch (mode, result) {
      case (.hard, .meetsPolicy): return .good
      case (.hard, .failsToMeetPolicy(let reason)): unusable = String("\(reason)".prefix(200))
      case (_, .failsToMeetPolicy): return .revoked
      default: break
      }
    }
    return .unanswered("the answer is not usable: \(unusable)")
  }
}

/// The first result of a policy. The request belongs to that one.
private final class Verdict: Sendable {
  private let noted = Mutex<PolicyEvaluationResult?>(nil)

  var result: PolicyEvaluationResult? { noted.withLock { $0 } }

  func note(_ result: PolicyEvaluationResult) { noted.withLock { $0 = $0 ?? result } }
}

/// A policy for a chain that was verified before, whose result is noted.
private struct NotingPolicy<Policy: VerifierPolicy>: VerifierPolicy {
  let verifyingCriticalExtensions: [ASN1ObjectIdentifier]
  private var policy: Policy
  private let verdict: Verdict

  init(_ path: [Certificate], _ policy: Policy, _ verdict: Verdict) {
    (self.policy, self.verdict) = (policy, verdict)
    // What they mean was checked with the signature.
    verifyingCriticalExtensions = path.flatMap { $0.extensions.filter(\.critical).map(\.oid) }
  }

  mutating func chainMeetsPolicyRequirements(
    chain: UnverifiedCertificateChain
  ) async -> PolicyEvaluationResult {
    let result = await policy.chainMeetsPolicyRequirements(chain: chain)
    verdict.note(result)
    return result
  }
}

/// Sends the first request of a policy, which is that for the first certificate of a path. The
/// others have their own turn.
private final class OneQuery: OCSPRequester {
  private struct State {
    var isAsked = false
    var isAnswered = false
    var fault: String?
  }

  private let state = Mutex(State())
  private let address: ResponderAddress
  private let transport: any StoreTransport
  private let userAgent: String

  init(address: ResponderAddress, transport: any StoreTransport, userAgent: String) {
    (self.address, self.transport, self.userAgent) = (address, transport, userAgent)
  }

  /// Why there is no answer.
  var fault: String? { state.withLock { $0.fault } }
  var isAnswered: Bool { state.withLock { $0.isAnswered } }

  private struct NotAsked: Error {}

  func query(request: [UInt8], uri: String) async -> OCSPRequesterQueryResult {
    let isFirst = state.withLock { state in
      defer { state.isAsked = true }
      return !state.isAsked
    }
    guard isFirst, uri == address.text else { return .nonTerminalError(NotAsked()) }
    let sent = TransportRequest(
      method: .post, url: address.text,
      headers: [
        (name: "Content-Type", value: "application/ocsp-request"),
        (name: "Accept", value: "application/ocsp-response"),
        (name: "User-Agent", value: userAgent),
      ],
      body: request, answerBytesMax: RevocationCheck.answerBytesMax,
      answerSecondsMax: RevocationCheck.answerSecondsMax)
    let answer: TransportAnswer
    do throws(TransportFailure) { answer = try await transport.send(sent) } catch {
      return failed(error.reason)
    }
    guard answer.status == 200 else { return failed("the responder answered \(answer.status)") }
    state.withLock { $0.isAnswered = true }
    return .response(answer.body)
  }

  private func failed(_ reason: String) -> OCSPRequesterQueryResult {
    state.withLock { $0.fault = reason }
    return .nonTerminalError(NotAsked())
  }
}
