extension Spool {
  /// Reads the files of a folder: whole records are kept, what does not check is skipped, and a
  /// torn end is cut off.
  static func load(
    _ folder: String, _ files: any SpoolFiles
  ) throws(FileError) -> (state: State, report: SpoolReport) {
    var report = SpoolReport()
    var segments: [Segment] = []
    var nextSerial: UInt64 = 1
    let names = try files.names(in: folder).filter { $0.hasSuffix(suffix) }.sorted()
    for (index, name) in names.enumerated() {
      let isLast = index == names.count - 1
      let path = folder + "/" + name
      let file = try files.open(path)
      let bytes = try file.read(at: 0, count: try file.size())
      let found = scan(bytes)
      // The name's number may be that of a file whose first record never came.
      let named = UInt64(name.dropLast(suffix.count), radix: 16) ?? 0
      nextSerial = max(nextSerial, named + 1, (found.entries.last?.serial ?? 0) + 1)
      report.events += found.entries.count
      report.damagedBytes += found.damagedBytes
      if found.end < bytes.count {
        try file.truncate(to: found.end)
        try file.sync()
        if isLast {
          report.cutBytes += bytes.count - found.end
        } else {
          report.damagedBytes += bytes.count - found.end
        }
      }
      if found.entries.isEmpty {
        try files.remove(path)
      } else {
        // The newest file goes on, unless it is damaged.
        let goesOn = isLast && found.damagedBytes == 0
        segments.append(
          Segment(
            path: path, file: goesOn ? file : nil, size: found.end, entries: found.entries))
      }
    }
    return (State(segments: segments, nextSerial: nextSerial), report)
  }

  /// The records in the bytes of a file, the end of the last one, and the bytes before it that are
  /// part of none.
  private static func scan(
    _ bytes: [UInt8]
  ) -> (entries: [Entry], end: Int, damagedBytes: Int) {
    var entries: [Entry] = []
    var end = 0
    var damagedBytes = 0
    while let start = Frame.next(bytes, from: end), let found = Frame.decode(bytes, at: start) {
      damagedBytes += start - end
      end = found.line.upperBound
      entries.append(Entry(serial: found.serial, offset: start, bytes: end - start))
    }
    return (entries, end, damagedBytes)
  }
}
