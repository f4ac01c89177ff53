import LedgerEvents

/// Parses `2024-02-29T12:00:00.25+01:00` as microseconds since 1970. Digits beyond six are dropped.
func microseconds(ofTime text: String) -> Int64? {
  let bytes = Array(text.utf8)
  func digits(_ from: Int, _ count: Int) -> Int64? {
    guard from + count <= bytes.count else { return nil }
    return Int64(String(decoding: bytes[from..<(from + count)], as: UTF8.self))
  }
  guard let year = digits(0, 4), let month = digits(5, 2), let day = digits(8, 2),
    let hour = digits(11, 2), let minute = digits(14, 2), let second = digits(17, 2)
  else { return nil }
  var next = 19
  var fraction: Int64 = 0
  if next < bytes.count, bytes[next] == UInt8(ascii: ".") {
    next += 1
    var worth: Int64 = 100_000
    while next < bytes.count, (0x30...0x39).contains(bytes[next]) {
      fraction += Int64(bytes[next] - 0x30) * worth
      worth /= 10
      next += 1
    }
  }
  var offset: Int64 = 0
  if next < bytes.count, bytes[next] == UInt8(ascii: "+") || bytes[next] == UInt8(ascii: "-") {
    guard let hours = digits(next + 1, 2), let minutes = digits(next + 4, 2) else { return nil }
    offset = (hours * 60 + minutes) * (bytes[next] == UInt8(ascii: "-") ? -1 : 1)
  }
  let days = daysSinceEpoch(year: year, month: month, day: day)
  let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
  return seconds * 1_000_000 + fraction
}

/// Adds an ISO 8601 duration by the calendar, in UTC, with the day clamped to the end of the month.
func adding(_ duration: String, to start: Int64) -> Int64? {
  guard duration.utf8.first == UInt8(ascii: "P") else { return nil }
  var months: Int64 = 0
  var days: Int64 = 0
  var microseconds: Int64 = 0
  let second = Instant.second
  var number = ""
  var inTime = false
  for letter in duration.dropFirst() {
    if letter == "T" { inTime = true }
    let isOfNumber = letter.isNumber || letter == "."
    if isOfNumber { number.append(letter) }
    guard letter != "T", !isOfNumber else { continue }
    let parts = number.split(separator: ".").map(String.init)
    guard let whole = parts.first, let amount = Int64(whole) else { return nil }
    let fraction = String(((parts.count > 1 ? parts[1] : "") + "000000").prefix(6))
    number = ""
    switch (letter, inTime) {
    case ("Y", false): months += 12 * amount
    case ("M", false): months += amount
    case ("W", false): days += 7 * amount
    case ("D", false): days += amount
    case ("H", true): microseconds += 3_600 * amount * second
    case ("M", true): microseconds += 60 * amount * second
    case ("S", true): microseconds += amount * second + (Int64(fraction) ?? 0)
    default: return nil
    }
  }
  let dayLength: Int64 = 86_400_000_000
  let startDay = start / dayLength
  let date = civilDate(daysSinceEpoch: startDay)
  let month = date.year * 12 + date.month - 1 + months
  let last = daysInMonth(year: month / 12, month: month % 12 + 1)
  let day = daysSinceEpoch(year: month / 12, month: month % 12 + 1, day: min(date.day, last))
  return (day + days) * dayLength + start % dayLength + microseconds
}

private func isLeap(_ year: Int64) -> Bool {
  (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

private func daysInMonth(year: Int64, month: Int64) -> Int64 {
  switch month {
  case 2: isLeap(year) ? 29 : 28
  case 4, 6, 9, 11: 30
  default: 31
  }
}

private func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
  let past = year - 1
  var days = 365 * (year - 1970) + (past / 4 - past / 100 + past / 400) - 477
  for earlier in 1..<month { days += daysInMonth(year: year, month: earlier) }
  return days + day - 1
}

private func civilDate(daysSinceEpoch days: Int64) -> (year: Int64, month: Int64, day: Int64) {
  var year = 1970 + days / 366
  while daysSinceEpoch(year: year + 1, month: 1, day: 1) <= days { year += 1 }
  var month: Int64 = 1
  while month < 12, daysSinceEpoch(year: year, month: month + 1, day: 1) <= days { month += 1 }
  return (year, month, days - daysSinceEpoch(year: year, month: month, day: 1) + 1)
}
