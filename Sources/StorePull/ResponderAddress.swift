import Foundation
import X509

/// Where the issuer of a certificate says whether it was revoked: the first OCSP address in its
/// authority information access (RFC 5280, 4.2.2.1).
struct ResponderAddress: Sendable {
  /// The address as the certificate has it.
  let text: String

  /// The longest address, in bytes. The store's have 40.
  private static let bytesMax = 2_048

  /// - Parameter allowsThisMachine: Whether a responder on this machine is asked.
  /// - Throws: `Unusable`.
  init(of certificate: Certificate, allowsThisMachine: Bool) throws(Unusable) {
    let access: AuthorityInformationAccess?
    do { access = try certificate.extensions.authorityInformationAccess } catch {
      throw Unusable(reason: "the certificate's authority information access is malformed")
    }
    let named = (access ?? AuthorityInformationAccess()).lazy.compactMap { entry -> String? in
      guard entry.method == .ocspServer, case .uniformResourceIdentifier(let text) = entry.location
      else { return nil }
      return text
    }.first
    guard let named else { throw Unusable(reason: "the certificate names no responder") }
    let parts = named.utf8.count <= Self.bytesMax ? URLComponents(string: named) : nil
    let scheme = parts?.scheme?.lowercased()
    guard let parts, scheme == "http" || scheme == "https", let host = parts.host, !host.isEmpty,
      parts.user == nil, parts.password == nil, parts.port.map(NetworkPort.isKnown) ?? true
    else {
      throw Unusable(
        reason: "expected the responder's address with http or https, found "
          + String(named.prefix(200)))
    }
    guard allowsThisMachine || !LocalAddress.names(host) else {
      throw Unusable(
        reason: "the responder \(named.prefix(200)) is this machine, which is asked only about "
          + "certificates below a root that --root names")
    }
    text = named
  }

  /// Why nobody can be asked.
  struct Unusable: Error { let reason: String }

  /// Whether a certificate names any responder, usable or not.
  static func isNamed(in certificate: Certificate) -> Bool {
    do {
      return try certificate.extensions.authorityInformationAccess?.contains {
        $0.method == .ocspServer
      } ?? false
    } catch { return true }
  }
}
