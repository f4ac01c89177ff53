extension TimelinePage {
  /// What stands in the page before its script fills it.
  static let body = #"""
    <a class="skip" href="#detail">To the selected event</a>
    <header>
      <div class="heading">
        <p class="brand">Daybook replay</p>
        <h1 id="title"></h1>
        <p id="facts"></p>
      </div>
      <div id="severities" role="group" aria-label="Findings by severity"></div>
      <div class="controls" role="group" aria-label="Steps">
        <button id="first" title="First event (Home)" aria-label="First event">⇤</button>
        <button id="back" title="Event before (←)" aria-label="Event before">←</button>
        <output id="place" aria-live="off"></output>
        <button id="forward" title="Next event (→)" aria-label="Next event">→</button>
        <button id="last" title="Last event (End)" aria-label="Last event">⇥</button>
        <button id="next" class="wide" title="f; the one before: Shift f">Next finding</button>
      </div>
    </header>
    <noscript><p class="note">This page needs its own script to draw the replay.</p></noscript>
    <main>
      <section id="timeline" aria-label="Timeline">
        <div class="tools">
          <canvas id="overview" aria-hidden="true"></canvas>
          <div role="group" aria-label="Zoom">
            <button id="smaller" aria-label="Zoom out" title="Zoom out (−)">−</button>
            <button id="fit" title="Show everything (0)">Fit</button>
            <button id="larger" aria-label="Zoom in" title="Zoom in (+)">+</button>
          </div>
        </div>
        <div id="viewport" tabindex="0" role="group"
          aria-label="Lanes over time; the arrow keys go from event to event">
          <div id="extent">
            <div id="window">
              <canvas id="lanes" role="img" aria-label=""></canvas>
              <div id="marks" role="group" aria-label="Findings in view"></div>
            </div>
          </div>
        </div>
        <div id="legend" aria-label="Legend"></div>
      </section>
      <section id="detail" tabindex="0" aria-label="Selected event"></section>
      <section id="state" tabindex="0" aria-label="State after the selected event"></section>
      <section id="browse" aria-label="Events and findings">
        <div role="tablist" aria-label="What is listed">
          <button role="tab" id="tab-events" aria-controls="events">Events</button>
          <button role="tab" id="tab-findings" aria-controls="findings">Findings</button>
        </div>
        <div id="events" role="listbox" tabindex="0" aria-labelledby="tab-events"><div></div></div>
        <div id="findings" role="tabpanel" aria-labelledby="tab-findings"></div>
      </section>
    </main>
    <p id="said" role="status" class="unseen"></p>
    """#
}
