extension TimelinePage {
  /// Marks, cards, tables and lists.
  static let styleOfTheParts = #"""
    .mark {
      position: absolute; width: 24px; height: 24px; min-width: 0; min-height: 0; padding: 0;
      margin-left: -12px; border: 0; background: none; pointer-events: auto; display: grid;
      place-items: center; font: 600 10px/1 system-ui, sans-serif; border-radius: 6px;
    }
    .mark:focus-visible { outline-offset: -1px; }
    .mark[aria-pressed="true"] { background: var(--hold); }
    .shape { width: 11px; height: 11px; display: inline-block; flex: none; }
    .s3 .shape { background: var(--s3); transform: rotate(45deg); border-radius: 2px; }
    .s2 .shape { background: var(--s2); clip-path: polygon(50% 4%, 100% 96%, 0 96%); width: 13px; }
    .s1 .shape { background: var(--s1); border-radius: 50%; }
    .s0 .shape { border: 2.5px solid var(--s0); border-radius: 50%; }
    .end .shape { opacity: .65; }
    .s3 { --s: var(--s3); --b: var(--b3); } .s2 { --s: var(--s2); --b: var(--b2); }
    .s1 { --s: var(--s1); --b: var(--b1); } .s0 { --s: var(--s0); --b: var(--b0); }
    .many {
      background: var(--s); color: var(--card); border-radius: 9px; min-width: 18px; padding: 4px;
      text-align: center;
    }
    .chip {
      display: inline-flex; align-items: center; gap: 7px; border-radius: 999px; font-size: 13px;
      background: var(--b); border-color: transparent; color: var(--ink);
    }
    .chip:hover { border-color: var(--s); }
    .eyebrow { margin: 0; color: var(--soft); font-size: 13px; }
    h2 { margin: 1px 0 2px; font-size: 17px; line-height: 1.3; overflow-wrap: anywhere; }
    h3 { margin: 18px 0 6px; font-size: 14px; }
    .when { margin: 0; font-variant-numeric: tabular-nums; color: var(--soft); }
    .note { margin: 6px 0 0; color: var(--soft); font-size: 13px; }
    .card {
      margin-top: 10px; padding: 10px 12px; border-radius: 8px; background: var(--b);
    }
    .card.over { background: var(--row); }
    .card > strong { display: flex; align-items: center; gap: 8px; overflow-wrap: anywhere; }
    .card .severity { margin-left: auto; font-weight: 600; font-size: 12px; color: var(--s); }
    .card p { margin: 5px 0 0; overflow-wrap: anywhere; }
    .card .links { display: flex; flex-wrap: wrap; gap: 4px 12px; }
    .card .concerns { font: 12px/1.4 var(--mono); color: var(--soft); }
    .link {
      border: 0; background: none; padding: 0; min-height: 24px; min-width: 0; color: var(--accent);
      text-decoration: underline; text-underline-offset: 2px; text-align: left;
    }
    dl {
      display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 12px; margin: 0;
    }
    dt { color: var(--soft); }
    dd { margin: 0; overflow-wrap: anywhere; font: 12.5px/1.5 var(--mono); }
    pre {
      margin: 6px 0 0; padding: 8px 10px; border-radius: 8px; background: var(--row);
      font: 12px/1.45 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere;
      max-height: 40vh; overflow: auto;
    }
    summary { cursor: pointer; padding: 3px 0; }
    .state { list-style: none; margin: 0; padding: 0; }
    .state li {
      display: grid; grid-template-columns: minmax(0, 1fr) fit-content(58%); gap: 0 12px;
      padding: 5px 8px; border-top: 1px solid var(--line);
    }
    .state li:first-child { border-top: 0; }
    .state li.changed { background: var(--hold); border-radius: 6px; border-color: transparent; }
    .state .name { overflow-wrap: anywhere; font: 12.5px/1.45 var(--mono); }
    .state small { display: block; color: var(--soft); font: 12px/1.4 system-ui, sans-serif; }
    .state .value { text-align: right; overflow-wrap: anywhere; }
    .state .before { color: var(--soft); text-decoration: line-through; font-size: 12.5px; }
    .bar {
      display: block; height: 5px; border-radius: 3px; background: var(--line); margin-top: 3px;
    }
    .bar i { display: block; height: 100%; border-radius: 3px; background: var(--open); }
    [role="tablist"] {
      display: flex; gap: 2px; padding: 6px 8px 0; border-bottom: 1px solid var(--line);
    }
    [role="tab"] {
      border: 0; border-radius: 7px 7px 0 0; background: none; color: var(--soft);
      border-bottom: 2px solid transparent; padding: 4px 12px;
    }
    [role="tab"][aria-selected="true"] {
      color: var(--ink); border-bottom-color: var(--accent); font-weight: 600;
    }
    #browse { container-type: inline-size; }
    #events, #findings { flex: 1; min-height: 0; overflow: auto; position: relative; }
    #events { outline-offset: -2px; }
    #events[hidden], #findings[hidden] { display: none; }
    .row {
      position: absolute; left: 0; right: 0; height: 30px; padding: 0 12px; cursor: pointer;
      display: grid; align-items: center; gap: 10px; white-space: nowrap;
      grid-template-columns: 5ch 21ch minmax(15ch, 25ch) minmax(0, 1fr) auto;
    }
    .row > * { overflow: hidden; text-overflow: ellipsis; }
    .row:hover { background: var(--row); }
    .row[aria-selected="true"] { background: var(--hold); }
    .row .number, .row .time { color: var(--soft); font-variant-numeric: tabular-nums; }
    .row .number { text-align: right; }
    .row .names { color: var(--soft); font: 12px/1.4 var(--mono); }
    .row .flags { display: flex; gap: 5px; overflow: visible; }
    #findings details { border-bottom: 1px solid var(--line); padding: 6px 12px; }
    #findings summary { display: flex; align-items: center; gap: 9px; }
    #findings summary b { font-weight: 600; overflow-wrap: anywhere; }
    #findings summary span:last-child { margin-left: auto; color: var(--soft); }
    #findings p { margin: 4px 0 6px; }
    #findings ul { list-style: none; margin: 0; padding: 0; }
    #findings li { overflow-wrap: anywhere; padding: 1px 0; }
    .empty { padding: 14px; color: var(--soft); }
    @container (max-width: 560px) {
      .row {
        height: 48px; grid-template: 1fr 1fr / 5ch minmax(0, 1fr) auto; gap: 0 10px;
        padding: 4px 10px;
      }
      .row .number { grid-row: 1 / 3; }
      .row .kind { grid-area: 1 / 2; }
      .row .flags { grid-area: 1 / 3; }
      .row .time { grid-area: 2 / 2 / 3 / 4; font-size: 12.5px; }
      .row .names { display: none; }
    }

    """#
}
