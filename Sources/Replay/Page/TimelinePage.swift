internal import LedgerEvents
public import LedgerQueries

/// A replay as one HTML page that needs no other file: lanes over time, findings, and the state
/// after the selected event. Without scripts, it shows the findings and the events as tables.
///
/// The page requests nothing over the network, and its policy forbids such requests. The contents
/// of events appear in it as text, never as HTML. The same replay gives the same bytes.
public struct TimelinePage: Sendable {
  public let html: String

  /// - Parameters:
  ///   - title: What was replayed: the name of a file, or of a slice.
  ///   - history: The steps.
  ///   - events: The events from which `history` was made.
  /// - Complexity: O(*n* log *n*) in the steps, and a second replay if events did not arrive in the
  ///   order of time.
  public init(title: String, history: ReplayHistory, events: ReplayEvents) {
    let timeline = Timeline(history, events: events)
    var data = PageData(history, timeline)
    html = Self.source.html([
      "title": PageText.escaped(title), "facts": history.steps.count.counted("event"),
      "tables": PageTables(history).html, "data": data.json(title: title),
    ])
  }

  /// The Content Security Policy of every such page, which it states itself, too.
  package static var policy: String { source.policy }

  static let source = PageSource(
    markup: PackageResources.page_html,
    styles: [PackageResources.page_css, PackageResources.paper_css],
    scripts: [
      PackageResources.data_js, PackageResources.scale_js, PackageResources.lanes_js,
      PackageResources.timeline_js, PackageResources.head_js, PackageResources.marks_js,
      PackageResources.details_js, PackageResources.findings_js, PackageResources.legend_js,
      PackageResources.list_js, PackageResources.search_js, PackageResources.print_js,
      PackageResources.keys_js,
    ])
}
