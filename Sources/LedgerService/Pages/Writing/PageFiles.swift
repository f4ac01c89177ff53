import HTTPTypes
import Hummingbird
import LedgerEvents
import NIOCore

/// The files that every page names: its style, its script and its picture. The first two are files
/// beside the code, compiled into the program.
///
/// Their addresses have a hash of their content, so that a browser keeps them for as long as they
/// are the same.
struct PageFile: Sendable {
  let path: String
  let contentType: String
  let text: String

  private init(_ name: String, _ kind: String, _ contentType: String, _ bytes: [UInt8]) {
    let hash = String(XXH64.hash(bytes.span), radix: 16)
    path = "/page/\(name)-\(hash).\(kind)"
    self.contentType = contentType
    text = String(decoding: bytes, as: UTF8.self)
  }

  static let style = PageFile(
    "service", "css", "text/css; charset=utf-8", PackageResources.service_css)
  static let script = PageFile(
    "service", "js", "text/javascript; charset=utf-8", PackageResources.service_js)
  /// A book whose lines are of two clocks.
  static let icon = PageFile(
    "icon", "svg", "image/svg+xml",
    Array(
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">\
      <rect x="3" y="3" width="26" height="26" rx="7" fill="#1f5fbf"/>\
      <path d="M9 12h14M9 20h9" stroke="#fff" stroke-width="3" stroke-linecap="round"/>\
      <circle cx="23" cy="20" r="2.2" fill="#fff"/></svg>
      """.utf8))

  static let all = [style, script, icon]

  var response: Response {
    Response(
      status: .ok,
      headers: [
        .contentType: contentType, .cacheControl: "public, max-age=31536000, immutable",
        .contentSecurityPolicyName: "default-src 'none'",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
