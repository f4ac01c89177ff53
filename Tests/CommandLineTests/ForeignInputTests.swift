import Foundation
import Testing

/// Inputs that are not events as JSON Lines: read, or refused with what reads them.
@Suite("Foreign input") struct ForeignInputTests {
  private let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  private func refusal(_ name: String, _ bytes: [UInt8]) throws -> String {
    let answer = try ledger.run("append", try ledger.folder.write(name, bytes))
    #expect(answer.status == 65)
    #expect(try ledger.events().isEmpty)
    return answer.errors
  }

  @Test("a byte order mark is no part of the first line") func mark() throws {
    let path = try ledger.folder.write(
      "mark.jsonl", [0xEF, 0xBB, 0xBF] + Array(Sample.notes("n", 2).utf8))
    let answer = try ledger.run("append", path)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try ledger.events().count == 2)
  }

  @Test(
    "compressed files and UTF-16 are refused with the command that makes them readable",
    arguments: [
      ([0x1F, 0x8B, 0x08], "gzip -dc"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd -dc"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz -dc"), ([0x42, 0x5A, 0x68, 0x39], "bzip2 -dc"),
      ([0x50, 0x4B, 0x03, 0x04], "unzip -p"), ([0xFF, 0xFE, 0x7B, 0x00], "iconv -f UTF-16"),
    ] as [([UInt8], String)])
  func bytes(_ bytes: [UInt8], command: String) throws {
    let said = try refusal("a file", bytes + [0, 1, 2, 10, 3])
    #expect(said.contains("\(command)"), "\(said)")
    #expect(said.contains("'\(ledger.folder.path("a file"))' | daybook append -"), "\(said)")
    let piped = try Program.process(["append", "--on-error", "skip"], ledger: ledger.path)
    let input = Pipe()
    let errors = Pipe()
    (piped.standardInput, piped.standardError) = (input, errors)
    try piped.run()
    try input.fileHandleForWriting.write(contentsOf: Data(bytes))
    try input.fileHandleForWriting.close()
    let reported = String(
      decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    piped.waitUntilExit()
    #expect(piped.terminationStatus == 65)
    #expect(reported.contains("… | \(command)"), "\(reported)")
  }

  @Test("the advice for arrays and for objects over several lines works")
  func documents() throws {
    let (first, second) = (Sample.event("a"), Sample.event("b"))
    let array = try refusal("array.json", Array("[\n\(first),\n\(second)\n]".utf8))
    #expect(array.contains("jq -c '.[]'"), "\(array)")
    let line = try refusal("line.json", Array("[\(first),\(second)]".utf8))
    #expect(line.contains("jq -c '.[]'"), "\(line)")
    let pretty = try refusal(
      "pretty.json", Array(first.replacing(",", with: ",\n").utf8))
    #expect(pretty.contains("jq -c ."), "\(pretty)")
  }

  @Test(
    "documents of the store are recognised, and what imports them is said",
    arguments: [
      (
        #"{"signedPayload":"eyJhbGciOiJFUzI1NiJ9.eyJub3RpZmljYXRpb25UeXBlIjoiVEVTVCJ9.c2ln"}"#,
        "daybook import notification"
      ),
      (
        "eyJhbGciOiJFUzI1NiJ9.eyJ0cmFuc2FjdGlvbklkIjoiMSJ9.c2lnbmF0dXJl",
        "daybook import transaction"
      ),
      (#"{"signedTransactionInfo":"eyJ"}"#, "import transaction"),
      (#"{"signedTransactions":["eyJ"],"revision":"1"}"#, "import history"),
      (#"{"signedRenewalInfo":"eyJ"}"#, "import renewal"),
      (#"{"receiptType":"Sandbox","bundleId":"b"}"#, "import app-transaction"),
      (#"{"message":{"data":"e30="},"subscription":"projects/p"}"#, "Google Play"),
      (#"{"message":{"data":"e30=","messageId":"1"}}"#, "Google Play"),
      (#"{"receivedMessages":[{"ackId":"a","message":{"data":"e30="}}]}"#, "Google Play"),
      (#"{"kind":"androidpublisher#subscriptionPurchaseV2","lineItems":[]}"#, "Google Play"),
      (#"{"voidedPurchases":[{"purchaseToken":"t"}]}"#, "Google Play"),
      (#"{"revision":"r","hasMore":false,"environment":"Production"}"#, "import history"),
      (
        #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#,
        "an error that the App Store Server API answered"
      ),
      (#"{"request_date":"2024","subscriber":{}}"#, "Import its webhooks as revenuecat"),
      (#"{"event":{"app_user_id":"ada","type":"RENEWAL"}}"#, "import revenuecat"),
      (
        #"{"platform":"ios","productId":"p","purchaseToken":"eyJhbGciOiJFUzI1NiJ9.e30.c2ln"}"#,
        "Import the text in purchaseToken as transaction"
      ),
      (#"{"productId":"p","transactionReceipt":"MIIT"}"#, "jq -r '.\"transactionReceipt\"'"),
      (#"[{"transactionId":"1","bundleId":"b"}]"#, "daybook import transaction"),
      (
        #"["eyJhbGciOiJFUzI1NiJ9.eyJ0cmFuc2FjdGlvbklkIjoiMSJ9.c2lnbmF0dXJl"]"#,
        "daybook import transaction"
      ),
      (#"[{"products":[{"product":"map"}]}]"#, "jq -c '.[]'"),
      (#"[{"id":"1","type":"note.added","occurredAt":"2024-01-01T00:00:00Z"}]"#, "jq -c '.[]'"),
      (
        "eyJhbGciOiJFUzI1NiJ9.eyJ0cmFuc2FjdGlvbklkIjoiMSJ9.c2lnbmF0dXJl\r",
        "daybook import transaction"
      ),
      (#"{"version":"1.0","packageName":"com.example","eventTimeMillis":"1"}"#, "Google Play"),
      (
        #"{"notificationType":"TEST","notificationUUID":"u","version":"2.0"}"#,
        "notification of the App Store Server"
      ),
      (
        #"{"transactionId":"1","originalTransactionId":"1","bundleId":"b"}"#,
        "daybook import transaction"
      ),
      (#"{"products":[{"product":"map","kind":"nonConsumable"}]}"#, "daybook catalog set"),
      (#"{"api_version":"1.0","event":{"type":"RENEWAL","id":null}}"#, "import revenuecat"),
      ("order;when;customer;status", "import csv"),
      ("rc_original_app_user_id,country,store", "import revenuecat-export"),
      (
        #"{"status":0,"environment":"Production","receipt":{"in_app":[]}}"#,
        "daybook import verify-receipt"
      ),
      (#"{"notification_type":"CANCEL","unified_receipt":{"status":0}}"#, "import notification-v1"),
      (#"{"receipt-data":"MIIT","password":"x"}"#, "| daybook import receipt -` with"),
      (#"{"file":"a","line":2,"reason":"no","text":"{}"}"#, "jq -r .text"),
    ])
  func store(_ line: String, said: String) throws {
    let reported = try refusal("store.jsonl", Array((line + "\n").utf8))
    #expect(reported.contains(said), "\(reported)")
    if line.hasPrefix("{") {
      let document = try JSONSerialization.jsonObject(with: Data(line.utf8))
      let pretty = try JSONSerialization.data(withJSONObject: document, options: .prettyPrinted)
      let whole = try refusal("store.json", Array(pretty))
      #expect(whole.contains(said), "\(whole)")
    }
  }

  @Test("a StoreKit configuration and a receipt of the samples are recognised") func samples()
    throws
  {
    let configuration = try ledger.run("append", "Tools/samples/sample.storekit")
    #expect(configuration.status == 65)
    #expect(
      configuration.errors.contains("daybook import storekit-config Tools/samples/sample.storekit"),
      "\(configuration.errors)")
    let receipt = try ledger.run("append", "Tools/samples/sample-receipt.json")
    #expect(receipt.errors.contains("import verify-receipt"), "\(receipt.errors)")
    let app = try ledger.run("append", "Tools/samples/sample.receipt")
    #expect(app.status == 65)
    #expect(
      app.errors.contains("`daybook import receipt Tools/samples/sample.receipt` with the app's"),
      "\(app.errors)")
    let table = try ledger.run("append", "Tools/samples/sample-table.csv")
    #expect(table.status == 65)
    #expect(
      table.errors.contains("`daybook import csv Tools/samples/sample-table.csv --map MAP`"),
      "\(table.errors)")
    for start in [[0x30, 0x80, 0x06], [0x30, 0x82, 0x20], [0x30, 0x83, 1]] as [[UInt8]] {
      let file = try ledger.folder.write("receipt", start)
      let errors = try ledger.run("append", file).errors
      #expect(errors.contains("this is an app's receipt: run `daybook import receipt"), "\(errors)")
    }
  }

  @Test("a file that is refused does not keep the next ones out where that is wanted")
  func skipped() throws {
    let events = try ledger.folder.write("events.jsonl", Array(Sample.notes("n", 2).utf8))
    let packed = try ledger.folder.write("packed.gz", [0x1F, 0x8B, 0x08, 0x00])
    let answer = try ledger.run("append", "--on-error", "skip", packed, events)
    #expect(answer.status == 65)
    #expect(try ledger.events().count == 2)
  }

  @Test("a line of a stream that is no event is reported at once, and the stream goes on")
  func stream() throws {
    let process = try Program.process(
      ["append", "-", "--on-error", "skip"], ledger: ledger.path)
    let (input, errors) = (Pipe(), Pipe())
    (process.standardInput, process.standardError) = (input, errors)
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let writer = input.fileHandleForWriting
    try writer.write(contentsOf: Data("[2026] server started\n".utf8))
    // Blocks until something is said; the input is still open.
    let reported = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
    #expect(reported.hasPrefix("-:1"), "\(reported)")
    try writer.write(contentsOf: Data((Sample.event("a") + "\n").utf8))
    try writer.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 65)
    #expect(try ledger.events().count == 1)
  }
}
