"""Plots as SVG: lines, bands and dots on linear or logarithmic axes, in as many panels as needed.

    figure("What it shows", "The same in words, for who cannot see it.",
           [Panel("a9a", Axis("epochs", log=True), Axis("P − P*", log=True), [Series("shuffled", [(1, 0.5), (2, 0.2)])])])

Series of one label look the same in all panels and share an entry of the legend; colour, dashes and the shape of the marks
all tell them apart. Colours follow the reader's light or dark scheme. Equal input gives equal bytes. Marks say their
values when pointed at.
"""
import dataclasses
import math
from html import escape

WIDTH = 880
PANEL_HEIGHT = 270
LEFT, RIGHT, ABOVE, BELOW = 62, 14, 30, 46  # margins of a panel
LETTER = 6.4  # about the width of a letter of the legend
LIGHT = ("#0b5fb0", "#c2500a", "#1a7f37", "#8250df", "#a11a5b")
DARK = ("#58a6ff", "#f0883e", "#3fb950", "#bc8cff", "#ff7eb6")
DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 2")


@dataclasses.dataclass
class Axis:
    label: str
    log: bool = False
    low: float | None = None  # by default what the points need
    high: float | None = None


@dataclasses.dataclass
class Series:
    label: str
    points: list  # of (x, y); None breaks the line
    band: list = dataclasses.field(default_factory=list)  # of (x, low, high), drawn behind the line
    marks: bool = True
    line: bool = True
    guide: bool = False  # a reference, not a measurement: thin and grey


@dataclasses.dataclass
class Dots:
    label: str
    points: list  # of (x, y, radius)
    hollow: bool = False
    like: str = ""  # a label whose colour these share


@dataclasses.dataclass
class Panel:
    title: str
    x: Axis
    y: Axis
    series: list


def style():
    """Classes: l0 … lines and outlines, f0 … fills of the colours, for light and for dark."""
    def scheme(colours, paper, ink, soft, grid):
        rules = [f".paper{{fill:{paper}}}", f"text{{fill:{ink}}}", f".soft{{fill:{soft}}}", f".grid{{stroke:{grid}}}",
                 f".axis{{stroke:{soft}}}", f".guide{{stroke:{soft}}}"]
        for number, colour in enumerate(colours):
            rules.append(f".l{number}{{stroke:{colour}}}.f{number}{{fill:{colour}}}")
        return "".join(rules)
    shared = ("text{font:12px system-ui,sans-serif}.head{font-size:15px;font-weight:600}.name{font-weight:600}"
              "path,line{fill:none}.line{stroke-width:2}.guide{stroke-width:1.2;stroke-dasharray:3 4}"
              ".band{opacity:.18;stroke:none}.hollow{fill:none;stroke-width:1.5}.dot{fill-opacity:.45}")
    return (f"<style>{shared}{scheme(LIGHT, '#ffffff', '#1f2328', '#59636e', '#e3e8ed')}"
            f"@media(prefers-color-scheme:dark){{{scheme(DARK, '#0d1117', '#e6edf3', '#9198a1', '#2b323b')}}}</style>")


def figure(title, description, panels):
    """The whole SVG, as text."""
    numbers = {}
    for panel in panels:
        for series in panel.series:
            if getattr(series, "like", ""):
                numbers[series.label] = numbers[series.like]
            elif not getattr(series, "guide", False):
                numbers.setdefault(series.label, len(set(numbers.values())) % len(LIGHT))
    legend, legend_height = legend_of(panels, numbers)
    height = 34 + PANEL_HEIGHT + legend_height
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
             f'height="{height}" role="img" aria-labelledby="title desc">',
             f'<title id="title">{escape(title)}</title>', f'<desc id="desc">{escape(description)}</desc>', style(),
             f'<rect class="paper" width="{WIDTH}" height="{height}"/>',
             f'<text class="head" x="{LEFT - 46}" y="22">{escape(title)}</text>']
    width = WIDTH / len(panels)
    for number, panel in enumerate(panels):
        parts += draw_panel(panel, number, numbers, number * width, 34, width)
    parts.append(f'<g transform="translate(0 {34 + PANEL_HEIGHT})">')
    return "\n".join([*parts, *legend, "</g>", "</svg>"]) + "\n"


class Scale:
    """From the numbers of an axis to pixels."""

    def __init__(self, axis, values, start, end):
        self.log = axis.log
        values = [value for value in values if math.isfinite(value) and (value > 0 or not axis.log)]
        low = min(values) if axis.low is None else axis.low
        high = max(values) if axis.high is None else axis.high
        if high <= low:
            high = low * 10 if axis.log else low + 1
        slack = 0.03 * (self._place(high) - self._place(low))
        self.low = self._place(low) - (slack if axis.low is None else 0)
        self.high = self._place(high) + (slack if axis.high is None else 0)
        self.start, self.end = start, end

    def _place(self, value):
        return math.log10(value) if self.log else value

    def __call__(self, value):
        return self.start + (self._place(value) - self.low) / (self.high - self.low) * (self.end - self.start)

    def shows(self, value):
        return math.isfinite(value) and (value > 0 or not self.log)

    def ticks(self):
        """(value, text) of the marked numbers."""
        if self.log:
            return log_ticks(self.low, self.high)
        power = 10 ** math.floor(math.log10((self.high - self.low) / 6))
        step = next(digit * power for digit in (1, 2, 5, 10) if (self.high - self.low) / (digit * power) <= 6)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [(number * step, f"{number * step:.6g}") for number in range(first, last + 1)]


def log_ticks(low, high):
    """Powers of ten, every few of them on long axes; 2 and 5 between them on short ones."""
    powers = range(math.floor(low), math.ceil(high) + 1)
    if high - low < 2:
        values = [digit * 10.0 ** power for power in powers for digit in (1, 2, 5)]
        ticks = [(value, f"{value:,.0f}" if value >= 1 else f"{value:.4g}") for value in values]
    else:
        every = math.ceil((high - low) / 6)
        ticks = [(10.0 ** power, power_text(power)) for power in powers if power % every == 0]
    return [(value, text) for value, text in ticks if low - 1e-9 <= math.log10(value) <= high + 1e-9]


def power_text(power):
    if -2 <= power <= 3:
        return f"{10.0 ** power:g}"
    return "10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def draw_panel(panel, number, numbers, left, top, width):
    points = [point for series in panel.series for point in series.points if point]
    bands = [point for series in panel.series for point in getattr(series, "band", [])]
    x = Scale(panel.x, [point[0] for point in points], left + LEFT, left + width - RIGHT)
    y = Scale(panel.y, [point[1] for point in points] + [edge for point in bands for edge in point[1:]],
              top + PANEL_HEIGHT - BELOW, top + ABOVE)
    box = (f'x="{x.start:.1f}" y="{y.end:.1f}" width="{x.end - x.start:.1f}" height="{y.start - y.end:.1f}"')
    parts = [f'<clipPath id="panel{number}"><rect {box}/></clipPath>',
             f'<text class="name" x="{x.start:.1f}" y="{y.end - 10:.1f}">{escape(panel.title)}</text>']
    for value, text in x.ticks():
        parts.append(f'<line class="grid" x1="{x(value):.1f}" y1="{y.start:.1f}" x2="{x(value):.1f}" y2="{y.end:.1f}"/>'
                     f'<text class="soft" text-anchor="middle" x="{x(value):.1f}" y="{y.start + 16:.1f}">{text}</text>')
    for value, text in y.ticks():
        parts.append(f'<line class="grid" x1="{x.start:.1f}" y1="{y(value):.1f}" x2="{x.end:.1f}" y2="{y(value):.1f}"/>'
                     f'<text class="soft" text-anchor="end" x="{x.start - 6:.1f}" y="{y(value) + 4:.1f}">{text}</text>')
    middle = (y.start + y.end) / 2
    parts.append(f'<path class="axis" d="M{x.start:.1f} {y.end:.1f}V{y.start:.1f}H{x.end:.1f}"/>'
                 f'<text text-anchor="middle" x="{(x.start + x.end) / 2:.1f}" y="{y.start + 34:.1f}">'
                 f'{escape(panel.x.label)}</text>'
                 f'<text text-anchor="middle" transform="translate({left + 14:.1f} {middle:.1f}) rotate(-90)">'
                 f'{escape(panel.y.label)}</text>')
    parts.append(f'<g clip-path="url(#panel{number})">')
    for series in panel.series:
        draw = draw_dots if isinstance(series, Dots) else draw_series
        parts += draw(series, numbers.get(series.label), x, y)
    return parts + ["</g>"]


def draw_series(series, number, x, y):
    shown = [point for point in series.points if point and x.shows(point[0]) and y.shows(point[1])]
    path = path_of(series.points, x, y)
    if series.guide:
        return [f'<path class="guide" d="{path}"/>']
    parts = []
    if series.band:
        edge = [f"{x(px):.1f} {y(low):.1f}" for px, low, _ in series.band]
        edge += [f"{x(px):.1f} {y(high):.1f}" for px, _, high in reversed(series.band)]
        parts.append(f'<polygon class="band f{number}" points="{" ".join(edge)}"/>')
    if series.line:
        parts.append(f'<path class="line l{number}"{dashes(number)} d="{path}"/>')
    if series.marks:
        parts += [mark(number, x(px), y(py), f"{series.label}: {px:.4g}, {py:.4g}") for px, py in shown]
    return parts


def path_of(points, x, y):
    pieces, begins = [], True
    for point in points:
        if point is None or not (x.shows(point[0]) and y.shows(point[1])):
            begins = True
            continue
        pieces.append(f'{"M" if begins else "L"}{x(point[0]):.1f} {y(point[1]):.1f}')
        begins = False
    return "".join(pieces)


def draw_dots(dots, number, x, y):
    kind = f"hollow l{number}" if dots.hollow else f"dot f{number}"
    return [f'<circle class="{kind}" cx="{x(px):.1f}" cy="{y(py):.1f}" r="{radius:.1f}"/>'
            for px, py, radius in dots.points]


def dashes(number):
    return f' stroke-dasharray="{DASHES[number]}"' if DASHES[number] else ""


def mark(number, x, y, says):
    """A circle, square, diamond, or triangle up or down."""
    shapes = (f'<circle class="f{number}" cx="{x:.1f}" cy="{y:.1f}" r="3.2">',
              f'<rect class="f{number}" x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6">',
              f'<polygon class="f{number}" points="{x:.1f} {y - 4.2:.1f} {x + 4.2:.1f} {y:.1f} {x:.1f} {y + 4.2:.1f} '
              f'{x - 4.2:.1f} {y:.1f}">',
              f'<polygon class="f{number}" points="{x:.1f} {y - 4:.1f} {x + 4:.1f} {y + 3:.1f} {x - 4:.1f} {y + 3:.1f}">',
              f'<polygon class="f{number}" points="{x:.1f} {y + 4:.1f} {x + 4:.1f} {y - 3:.1f} {x - 4:.1f} {y - 3:.1f}">')
    name = shapes[number][1:].split(" ")[0]
    return f"{shapes[number]}<title>{escape(says)}</title></{name}>"


def legend_of(panels, numbers):
    """Entries from left to right, as many lines as they need; and the height of it all."""
    entries = {}
    for panel in panels:
        for series in panel.series:
            if series.label:
                entries.setdefault(series.label, series)
    parts, x, y = [], LEFT, 14
    for label, series in entries.items():
        width = 34 + LETTER * len(label) + 14
        if x > LEFT and x + width > WIDTH:
            x, y = LEFT, y + 20
        parts += [*legend_sample(series, numbers.get(label), x, y - 4),
                  f'<text x="{x + 32:.1f}" y="{y}">{escape(label)}</text>']
        x += width
    return parts, y + 12


def legend_sample(series, number, x, y):
    if isinstance(series, Dots):
        kind = f"hollow l{number}" if series.hollow else f"dot f{number}"
        return [f'<circle class="{kind}" cx="{x + 13:.1f}" cy="{y}" r="5"/>']
    if series.guide:
        return [f'<line class="guide" x1="{x:.1f}" y1="{y}" x2="{x + 26:.1f}" y2="{y}"/>']
    parts = []
    if series.line:
        parts.append(f'<line class="line l{number}"{dashes(number)} x1="{x:.1f}" y1="{y}" x2="{x + 26:.1f}" y2="{y}"/>')
    if series.marks:
        parts.append(mark(number, x + 13, y, series.label))
    return parts
