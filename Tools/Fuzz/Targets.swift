import AgeFiles
import Audit
import LedgerEvents
import LedgerModel
import PageReading
import ProductCatalogue
import StoreImport

extension Target {
  /// Every target, with its samples.
  static func all() throws -> [Target] {
    let samples = try Samples()
    var made = [events(samples), records(samples), states(samples), pages(samples)]
    made += try proofs(samples) + imports(samples) + secrets()
    made += try stores(samples) + packages(samples)
    made += try signed(samples) + unsignedImports(samples)
    return try made.map { target in
      Target(
        target.name, target.samples + (try samples.kept(for: target.name)), tokens: target.tokens,
        inputsPerRound: target.inputsPerRound,
        target.check)
    }
  }

  private static func events(_ samples: Samples) -> Target {
    Target("lines", samples.lines, tokens: json, Properties.line)
  }

  private static func records(_ samples: Samples) -> Target {
    Target("records", samples.records, Properties.record)
  }

  /// The reducer's state as the projections store it: no index in it leads outside its table, so
  /// that every answer can be computed.
  private static func states(_ samples: Samples) -> Target {
    let book = InMemoryLedger(folding: samples.facts, texts: samples.texts)
    let (context, texts) = (book.context, samples.texts)
    let last = samples.facts.map(\.occurredAt).max() ?? 0
    return Target("states", book.units.map { $0.encoded() }) { bytes in
      let unit: Unit
      do { unit = try Unit(decoding: bytes) } catch {
        try Broken.unless(!"\(error)".isEmpty, "an error without a message")
        return false
      }
      let again = try Unit(decoding: unit.encoded())
      try Broken.unless(again.encoded() == unit.encoded(), "another state after a round trip")
      for account in unit.answeredAccounts.prefix(8) {
        _ = unit.answer(.account(account), at: last, context: context, texts: texts)
        _ = unit.installed(.account(account))
      }
      return true
    }
  }

  /// Pages of LMDB's trees, as the page check and salvage read them.
  private static func pages(_ samples: Samples) -> Target {
    let rows = samples.records.prefix(12).map { Array($0.prefix(200)) }
    return Target("pages", [Target.leafPage(rows)]) { bytes in
      guard bytes.count >= 16 else { return false }
      let number = bytes[..<8].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      var isWhole = false
      for isLoose in [false, true] {
        do throws(PageDoubt) {
          let page =
            isLoose
            ? try TreePage(loose: bytes, number: number) : try TreePage(bytes, number: number)
          for node in 0..<page.count {
            _ = page.key(node)
            if page.kind == .branch { _ = page.child(node) } else { _ = page.value(node) }
          }
          if !isLoose { isWhole = true }
        } catch {
          try Broken.unless(!error.reason.isEmpty, "a doubt without a reason")
        }
      }
      return isWhole
    }
  }

  /// A leaf of a tree as LMDB writes it (`MDB_page`): the header, the places of the nodes, a gap,
  /// and the nodes from the page's end on.
  private static func leafPage(_ rows: [[UInt8]]) -> [UInt8] {
    func half(_ number: Int) -> [UInt8] {
      [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }
    let (pageBytes, headerBytes) = (4_096, 16)
    var nodes: [[UInt8]] = []
    for (index, row) in rows.enumerated() {
      let key = [0, 0, 0, 0, 0, 0, 0, UInt8(index)] as [UInt8]
      let node = half(row.count) + half(0) + half(0) + half(key.count) + key + row
      nodes.append(node.count % 2 == 0 ? node : node + [0])
    }
    var places: [UInt8] = []
    var end = pageBytes
    var written: [UInt8] = []
    for node in nodes {
      end -= node.count
      written = node + written
      places += half(end)
    }
    let lower = headerBytes + places.count
    let header = [7, 0, 0, 0, 0, 0, 0, 0] + half(0) + half(2) + half(lower) + half(end)
    return header + places + [UInt8](repeating: 0, count: end - lower) + written
  }

  private static func proofs(_ samples: Samples) throws -> [Target] {
    let made = try ProofSamples(samples)
    func refused(_ error: ProofError) throws -> Bool {
      try Broken.unless(!error.message.isEmpty, "an error without a message")
      return false
    }
    // What was read is written so that it can be read again.
    func again<Value>(_ body: () throws -> Value) throws -> Value {
      do { return try body() } catch let error as ProofError {
        throw Broken(description: "not read again: \(error.message)")
      }
    }
    return [
      Target("proofs", made.documents, tokens: notes) { bytes in
        do {
          switch try ProofDocument(bytes) {
          case .event(let proof): _ = proof.document
          case .consistency(let proof): _ = proof.document
          case .checkpoint(let checkpoint):
            try Broken.unless(
              try again { try SignedCheckpoint(Array(checkpoint.document.utf8)) }.root
                == checkpoint.root,
              "another root after a round trip")
          case .bundle(let bundle): _ = bundle.leafCount
          }
          return true
        } catch let error as ProofError { return try refused(error) }
      },
      Target("requests", made.requests, tokens: notes) { bytes in
        do {
          let request = try WitnessRequest(bytes)
          _ = try again { try WitnessRequest(Array(request.document.utf8)) }
          return true
        } catch let error as ProofError { return try refused(error) }
      },
      Target("memories", made.memories, tokens: notes) { bytes in
        do {
          let memory = try CheckpointMemory(bytes)
          _ = try again { try CheckpointMemory(Array(memory.document.utf8)) }
          return true
        } catch let error as ProofError { return try refused(error) }
      },
      Target("keys", made.keys, tokens: notes) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        var isKey = false
        do {
          let key = try NoteVerifier(text)
          isKey = try again { try NoteVerifier(key.text) } == key
          try Broken.unless(isKey, "another key after a round trip")
        } catch let error as ProofError { _ = try refused(error) }
        do {
          _ = try NoteSigner(text)
          isKey = true
        } catch let error as ProofError { _ = try refused(error) }
        return isKey
      },
    ]
  }

  private static func imports(_ samples: Samples) throws -> [Target] {
    let options = ImportOptions(
      fileName: "fuzz.json", digestKey: [UInt8](repeating: 7, count: 16), account: "ada")
    let receipt = try samples.file("Tools/samples/sample-receipt.json")
    let configuration = try samples.file("Tools/samples/sample.storekit")
    let catalogue = try samples.file("Tools/samples/catalogue.json")
    return [
      Target("receipts", [receipt], tokens: json) { bytes in
        do {
          _ = try ReceiptImport(bytes, options: options)
          for event in try VerifyReceipt.events(from: bytes, options: options) {
            try event.validate()
          }
          return true
        } catch let error as ImportError {
          try Broken.unless(!error.reason.isEmpty, "an error without a reason")
          return false
        }
      },
      Target("configurations", [configuration], tokens: json) { bytes in
        do {
          _ = try StoreKitConfiguration.products(in: bytes, fileName: "fuzz.storekit")
          return true
        } catch let error as ImportError {
          try Broken.unless(!error.reason.isEmpty, "an error without a reason")
          return false
        }
      },
      Target("catalogues", [catalogue], tokens: json) { bytes in
        do {
          _ = try CatalogueDocument(bytes, name: "fuzz.json")
          return true
        } catch let error as CatalogueError {
          try Broken.unless(!error.reason.isEmpty, "an error without a reason")
          return false
        }
      },
    ]
  }

  private static func secrets() throws -> [Target] {
    // Not secret, so that each run has the same files.
    var random = Mutator(seed: 1, iteration: 0)
    let identity = AgeIdentity(using: &random)
    let plain = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let files = try [0, 1, plain.count].map { count in
      var sealer = try AgeSealer(for: .recipients([identity.recipient]), using: &random)
      var file = sealer.start
      sealer.seal(Array(plain[..<count]), into: &file)
      sealer.finish(into: &file)
      return file
    }
    return [
      Target("age", files, tokens: notes) { bytes in
        do {
          let opener = try AgeOpener(
            start: Array(bytes.prefix(AgeOpener.startBytesMax)), byteCount: bytes.count,
            with: .identities([identity]))
          var read: [UInt8] = []
          var chunk = 0
          while let range = opener.range(ofChunk: chunk) {
            read += try opener.open(Array(bytes[range]), chunk: chunk)
            chunk += 1
          }
          try Broken.unless(read.count == opener.plainByteCount, "another length than it said")
          try Broken.unless(plain.starts(with: read), "bytes that nobody encrypted")
          return true
        } catch let error as AgeError {
          try Broken.unless(!error.message.isEmpty, "an error without a message")
          return false
        }
      }
    ]
  }
}
