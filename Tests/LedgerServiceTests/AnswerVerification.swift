import Crypto
import Foundation

// What follows stands in docs/service.md, for apps: there, CryptoKit takes the place of Crypto.

/// What a signed answer says, once it is believed.
struct SignedAnswer: Decodable {
  struct Answer: Decodable {
    let active: [String]
  }

  let iss: String
  let sub: String
  let aud: String
  let exp: Double
  let nonce: String?
  let answer: Answer
}

struct NotBelieved: Error {}

/// - Parameters:
///   - keys: Public keys by their ids, from the key set: `kid` and `x`.
///   - device: What the app has sent as `audience`.
///   - nonce: What the app has sent with this request; nil for an answer that was kept.
func believed(
  _ text: String, keys: [String: Data], issuer: String, account: String, device: String,
  nonce: String?, now: Date
) throws -> SignedAnswer {
  func decoded(_ part: Substring) throws -> Data {
    let text = part.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
    guard let data = Data(base64Encoded: text + padding) else { throw NotBelieved() }
    return data
  }
  let parts = text.split(separator: ".", omittingEmptySubsequences: false)
  guard parts.count == 3 else { throw NotBelieved() }
  let header = try JSONDecoder().decode([String: String].self, from: try decoded(parts[0]))
  guard header["alg"] == "EdDSA", header["typ"] == "daybook-answer+jwt",
    let key = header["kid"].flatMap({ keys[$0] })
  else { throw NotBelieved() }
  let signer = try Curve25519.Signing.PublicKey(rawRepresentation: key)
  guard
    signer.isValidSignature(try decoded(parts[2]), for: Data("\(parts[0]).\(parts[1])".utf8))
  else { throw NotBelieved() }
  let answer = try JSONDecoder().decode(SignedAnswer.self, from: try decoded(parts[1]))
  guard answer.iss == issuer, answer.sub == account, answer.aud == device,
    nonce == nil || answer.nonce == nonce, now.timeIntervalSince1970 < answer.exp
  else { throw NotBelieved() }
  return answer
}
