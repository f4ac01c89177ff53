/// One number that a benchmark measured, and what C on LMDB measured in the same run.
struct Figure {
  var name: String
  var unit: String
  var daybook: Double
  /// Absent where C has nothing of the kind.
  var baseline: Double?
  var floor: Floor?

  /// Daybook's part of C's.
  var ratio: Double? { baseline.map { daybook / $0 } }
}

/// What a figure has to keep.
enum Floor {
  case ratioAtLeast(Double)
  case ratioAtMost(Double)
  case atLeast(Double)
  case atMost(Double)

  func isKept(by figure: Figure) -> Bool {
    switch self {
    case .ratioAtLeast(let floor): (figure.ratio ?? 0) >= floor
    case .ratioAtMost(let ceiling): (figure.ratio ?? .infinity) <= ceiling
    case .atLeast(let floor): figure.daybook >= floor
    case .atMost(let ceiling): figure.daybook <= ceiling
    }
  }

  var text: String {
    switch self {
    case .ratioAtLeast(let floor): "≥ \(floor) of C"
    case .ratioAtMost(let ceiling): "≤ \(ceiling) × C"
    case .atLeast(let floor): "≥ \(rounded(floor))"
    case .atMost(let ceiling): "≤ \(rounded(ceiling))"
    }
  }
}

/// The middle run of several of one figure, by its ratio where there is one.
func median(_ runs: [Figure]) -> Figure {
  precondition(!runs.isEmpty, "a benchmark gave no figure")
  let sorted = runs.sorted { ($0.ratio ?? $0.daybook) < ($1.ratio ?? $1.daybook) }
  return sorted[sorted.count / 2]
}

/// Three digits that matter, and a letter for thousands.
func rounded(_ value: Double) -> String {
  for (scale, letter) in [(1e9, "G"), (1e6, "M"), (1e3, "k")] where abs(value) >= scale {
    return digits(value / scale) + " " + letter
  }
  return digits(value)
}

private func digits(_ value: Double) -> String {
  let scale = abs(value) >= 100 ? 1.0 : abs(value) >= 10 ? 10.0 : 100.0
  let text = "\((value * scale).rounded() / scale)"
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

/// The figures as a table of Markdown.
func table(_ figures: [Figure]) -> String {
  var lines = [
    "| figure | unit | daybook | C | ratio | floor |", "| --- | --- | --: | --: | --: | --- |",
  ]
  for figure in figures {
    let floor = figure.floor.map { $0.text + ($0.isKept(by: figure) ? "" : " **missed**") }
    let cells = [
      figure.name, figure.unit, rounded(figure.daybook), figure.baseline.map(rounded) ?? "",
      figure.ratio.map(digits) ?? "", floor ?? "",
    ]
    lines.append("| " + cells.joined(separator: " | ") + " |")
  }
  return lines.joined(separator: "\n")
}
