extension TimelinePage {
  /// Colours for light and dark, and how the page is divided.
  static let styleOfThePage = #"""
    :root {
      color-scheme: light dark;
      --back: #f5f5f2; --card: #ffffff; --ink: #1b1d22; --soft: #5b606b; --line: #dcdcd6;
      --row: #f0f0ec; --hold: #e3ecfb; --accent: #1f5fbf; --onAccent: #ffffff;
      --open: #4f86d9; --wait: #8592a8; --done: #2f8f57; --pause: #b87c0c; --gone: #8a8f99;
      --s3: #c0182b; --s2: #b3470b; --s1: #8a6100; --s0: #2668a6;
      --b3: #fbe7e8; --b2: #fceee3; --b1: #faf1d8; --b0: #e6f0f9;
      --mono: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono",
        monospace;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --back: #14161a; --card: #1c1f25; --ink: #e8e9ec; --soft: #a2a8b4; --line: #333842;
        --row: #23272e; --hold: #24364f; --accent: #8db8ff; --onAccent: #10151d;
        --open: #5b92e5; --wait: #6f7b8f; --done: #4fb87c; --pause: #d9a036; --gone: #767d8a;
        --s3: #ff7b86; --s2: #ff9f66; --s1: #e6bd55; --s0: #7fbcf5;
        --b3: #3d2226; --b2: #3b2a1f; --b1: #372f1b; --b0: #1e2f3f;
      }
    }
    * { box-sizing: border-box; }
    html, body { margin: 0; height: 100%; }
    body {
      background: var(--back); color: var(--ink); display: flex; flex-direction: column;
      font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans",
        sans-serif;
      -webkit-text-size-adjust: 100%;
    }
    button {
      font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
      border-radius: 7px; min-width: 34px; min-height: 32px; padding: 2px 9px; cursor: pointer;
    }
    button:hover { border-color: var(--accent); }
    button:disabled { color: var(--soft); cursor: default; border-color: var(--line); opacity: .6; }
    :focus { outline: none; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
    .skip { position: absolute; left: -99em; }
    .skip:focus { left: 8px; top: 8px; background: var(--card); padding: 8px; z-index: 9; }
    .unseen {
      position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden;
      clip-path: inset(50%);
    }
    header {
      display: flex; flex-wrap: wrap; align-items: center; gap: 10px 22px; padding: 12px 18px;
      background: var(--card); border-bottom: 1px solid var(--line);
    }
    .heading { flex: 1 1 300px; min-width: 0; }
    .brand { margin: 0; font-size: 12px; color: var(--soft); letter-spacing: .02em; }
    h1 { margin: 0; font-size: 17px; line-height: 1.3; overflow-wrap: anywhere; }
    #facts { margin: 1px 0 0; color: var(--soft); font-size: 13px; }
    #severities { display: flex; flex-wrap: wrap; gap: 6px; }
    .controls { display: flex; align-items: center; gap: 6px; }
    .controls .wide {
      background: var(--accent); color: var(--onAccent); border-color: var(--accent);
      font-weight: 600;
    }
    .controls .wide:disabled {
      background: var(--row); color: var(--soft); border-color: var(--line);
    }
    #place {
      min-width: 92px; text-align: center; font-variant-numeric: tabular-nums;
      color: var(--soft); font-size: 13px;
    }
    main {
      flex: 1; min-height: 0; display: grid; gap: 12px; padding: 12px;
      grid-template: minmax(0, 1.2fr) minmax(0, 1fr) / minmax(0, 1.1fr) minmax(0, 1fr) minmax(
        320px, 30%);
      grid-template-areas: "timeline timeline detail" "browse state detail";
    }
    main > section {
      background: var(--card); border: 1px solid var(--line); border-radius: 10px; min-width: 0;
      min-height: 0; overflow: hidden; display: flex; flex-direction: column;
    }
    #timeline { grid-area: timeline; }
    #browse { grid-area: browse; }
    main > #detail, main > #state { overflow: auto; display: block; padding: 12px 16px 18px; }
    #detail { grid-area: detail; outline-offset: -2px; }
    #state { grid-area: state; outline-offset: -2px; }
    .tools { display: flex; gap: 10px; padding: 8px; border-bottom: 1px solid var(--line); }
    .tools > div { display: flex; gap: 4px; }
    #overview { flex: 1; min-width: 0; height: 32px; display: block; cursor: pointer; }
    #viewport { flex: 1; min-height: 0; overflow: auto; position: relative; outline-offset: -2px; }
    #window { position: sticky; left: 0; top: 0; overflow: hidden; }
    #lanes { display: block; }
    #marks { position: absolute; inset: 0; pointer-events: none; }
    #legend {
      display: flex; flex-wrap: wrap; gap: 2px 14px; padding: 5px 10px; font-size: 12px;
      color: var(--soft); border-top: 1px solid var(--line);
    }
    #legend span { display: inline-flex; align-items: center; gap: 5px; }
    #legend canvas { width: 22px; height: 12px; }
    @media (max-width: 900px) {
      html, body { height: auto; }
      body { padding-bottom: 60px; }
      header { padding: 10px 12px; gap: 8px; }
      main { display: block; padding: 8px; }
      main > section { margin-bottom: 10px; }
      #timeline { height: min(62vh, 470px); }
      main > #detail, main > #state { overflow: visible; padding: 12px; }
      #browse { height: 70vh; }
      .controls {
        position: fixed; z-index: 5; left: 0; right: 0; bottom: 0; padding: 8px 8px
          calc(8px + env(safe-area-inset-bottom)); justify-content: space-between;
        background: var(--card); border-top: 1px solid var(--line);
      }
      .controls button { min-height: 42px; min-width: 40px; }
      #place { min-width: 0; flex: 1; font-size: 13px; white-space: nowrap; }
    }
    @media (max-width: 480px) { #first, #last { display: none; } }
    @media (prefers-reduced-motion: no-preference) {
      .card.fresh { animation: come .25s ease-out; }
      @keyframes come { from { opacity: .3; } }
    }

    """#
}
