"""The ratios as a picture: self-contained SVG, to be read in a light and in a dark page."""

import math
from html import escape

from figures import ratios, three_digits

WIDTH, LABELS, RIGHT = 760, 230, 110
ROW, HEAD, TOP, BOTTOM = 20, 26, 56, 40
STYLE = """
  svg { background: #fff; font: 12px system-ui, sans-serif; }
  text { fill: #1c1c1e; }
  .head { font-weight: 600; }
  .faint { fill: #6b6b70; }
  .grid { stroke: #d8d8dc; }
  .one { stroke: #6b6b70; stroke-width: 1.5; }
  .spread { stroke: #0a5fb4; stroke-width: 2; }
  .median { fill: #0a5fb4; stroke: #0a5fb4; stroke-width: 1.5; }
  .socket { fill: #fff; }
  @media (prefers-color-scheme: dark) {
    svg { background: #1c1c1e; }
    text { fill: #f2f2f4; }
    .faint { fill: #a0a0a6; }
    .grid { stroke: #3a3a3e; }
    .one { stroke: #a0a0a6; }
    .spread { stroke: #5eb0ff; }
    .median { fill: #5eb0ff; stroke: #5eb0ff; }
    .socket { fill: #1c1c1e; }
  }
"""


def groups(measures, peers, results):
    """[(measure, [(peer, ratio)])] of what was measured beside Daybook."""
    found = []
    for measure in measures:
        of_measure = results.get(measure.name, {})
        rows = [(peer, ratios(of_measure.get(peer.beside, []), of_measure[peer.name]))
                for peer in peers if peer.beside and peer.name in of_measure]
        rows = [(peer, ratio) for peer, ratio in rows if ratio]
        if rows:
            found.append((measure, rows))
    return found


class Scale:
    """A logarithmic axis from one power of ten to another, with one in it."""

    def __init__(self, values):
        self.low = min(-1, math.floor(math.log10(min(values))))
        self.high = max(1, math.ceil(math.log10(max(values))))

    def x(self, value):
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return LABELS + part * (WIDTH - LABELS - RIGHT)

    def marks(self):
        return [10.0 ** power for power in range(self.low, self.high + 1)]


def plot(measures, peers, results, subtitle):
    """The picture; None where nothing was measured beside Daybook."""
    found = groups(measures, peers, results)
    if not found:
        return None
    figures = [ratio for _, rows in found for _, ratio in rows]
    scale = Scale([figure.least for figure in figures] + [figure.greatest for figure in figures])
    height = TOP + BOTTOM + sum(HEAD + ROW * len(rows) for _, rows in found)
    body = list(_grid(scale, height))
    y = TOP
    for measure, rows in found:
        y += HEAD
        body.append(f'<text class="head" x="12" y="{y - 6}">{escape(measure.title)}</text>')
        for peer, ratio in rows:
            body += _row(scale, y + ROW / 2, peer, ratio)
            y += ROW
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" aria-labelledby="title about">',
        '<title id="title">Daybook beside others</title>',
        f'<desc id="about">{escape(subtitle)}</desc>',
        f"<style>{STYLE}</style>",
        '<text class="head" x="12" y="22">How many times as fast Daybook is: '
        'median and spread</text>',
        '<text class="faint" x="12" y="40">● in one process · ○ over a socket · '
        'right of the line at 1: Daybook is faster</text>',
        *body, "</svg>", ""])


def _grid(scale, height):
    for value in scale.marks():
        x = scale.x(value)
        kind = "one" if value == 1 else "grid"
        yield (f'<line class="{kind}" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" '
               f'y2="{height - BOTTOM + 6}"/>')
        yield (f'<text class="faint" text-anchor="middle" x="{x:.1f}" '
               f'y="{height - BOTTOM + 24}">{value:g}</text>')


def _row(scale, y, peer, ratio):
    kind = "median socket" if peer.is_socket else "median"
    return [
        f'<text x="24" y="{y + 4:.1f}">{escape(peer.title)}</text>',
        f'<line class="spread" x1="{scale.x(ratio.least):.1f}" y1="{y:.1f}" '
        f'x2="{scale.x(ratio.greatest):.1f}" y2="{y:.1f}"/>',
        f'<circle class="{kind}" cx="{scale.x(ratio.median):.1f}" cy="{y:.1f}" r="4"/>',
        f'<text class="faint" x="{WIDTH - RIGHT + 16}" y="{y + 4:.1f}">'
        f'{three_digits(ratio.median)} ×</text>',
    ]
