// Draws the chart of search times: one row per kind of search, one dot per system, on a logarithmic scale.

/** The times of one kind of search: milliseconds by system, in the order of the chart's systems. */
export type ChartRow = { readonly label: string; readonly times: readonly number[] };

export type Chart = {
  readonly title: string;
  readonly subtitle: string;
  /** Names of the systems; the first one is ours. */
  readonly systems: readonly string[];
  readonly rows: readonly ChartRow[];
};

type Theme = {
  readonly paper: string;
  readonly ink: string;
  readonly quiet: string;
  readonly line: string;
  /** Colors of the systems, in their order. */
  readonly dots: readonly string[];
};

export const themes = {
  light: {
    paper: "#ffffff",
    ink: "#1c1b18",
    quiet: "#696559",
    line: "#e3ded2",
    dots: ["#1f7f64", "#2f5fa8", "#ad4e14", "#86407f", "#696559"],
  },
  dark: {
    paper: "#0d1117",
    ink: "#eceae2",
    quiet: "#9d998b",
    line: "#33372f",
    dots: ["#4fb898", "#86adeb", "#f0a36c", "#d59acd", "#9d998b"],
  },
} as const satisfies Readonly<Record<string, Theme>>;

const width = 800;
const rowHeight = 34;
const top = 108;
const left = 190;
const right = 40;
const bottom = 52;

/** Shapes distinguish the systems without color. */
const shapes = [
  (x: number, y: number) => `<circle cx="${x}" cy="${y}" r="8"/>`,
  (x: number, y: number) => `<rect x="${x - 5}" y="${y - 5}" width="10" height="10"/>`,
  (x: number, y: number) => `<path d="M${x} ${y - 6.5}l6.5 11.5h-13z"/>`,
  (x: number, y: number) => `<path d="M${x} ${y - 7}l7 7-7 7-7-7z"/>`,
  (x: number, y: number) => `<path d="M${x - 6} ${y + 5}l6-11.5 6 11.5z" transform="rotate(180 ${x} ${y})"/>`,
];

/** The chart as an SVG document. Positions are rounded, so that equal times give equal bytes. */
export function drawChart({ title, subtitle, systems, rows }: Chart, theme: Theme): string {
  const height = top + rows.length * rowHeight + bottom;
  const times = rows.flatMap((row) => row.times);
  const [from, to] = [Math.floor(Math.log10(Math.min(...times))), Math.ceil(Math.log10(Math.max(...times)))];
  const place = (time: number) =>
    round(left + ((Math.log10(time) - from) / Math.max(1, to - from)) * (width - left - right));
  const rowAt = (index: number) => top + (index + 0.5) * rowHeight;
  const ticks = Array.from({ length: Math.max(1, to - from) + 1 }, (_, index) => 10 ** (from + index));
  const color = (system: number) => theme.dots[system % theme.dots.length] ?? theme.ink;
  const shape = (system: number, x: number, y: number) =>
    `<g fill="${color(system)}">${(shapes[system % shapes.length] ?? shapes[0])?.(x, y)}</g>`;
  const text = (x: number, y: number, words: string, more = "") =>
    `<text x="${round(x)}" y="${round(y)}" ${more}>${escapeText(words)}</text>`;
  const baseline = top + rows.length * rowHeight;
  const parts = [
    `<rect width="${width}" height="${height}" fill="${theme.paper}"/>`,
    text(24, 34, title, `font-size="18" font-weight="600" fill="${theme.ink}"`),
    text(24, 56, subtitle, `font-size="13" fill="${theme.quiet}"`),
    ...systems.flatMap((system, index) => {
      const x = 32 + index * ((width - 48) / systems.length);
      return [shape(index, x, 82), text(x + 14, 87, system, `fill="${theme.ink}"`)];
    }),
    ...ticks.flatMap((tick) => [
      `<path d="M${place(tick)} ${top}V${baseline}" stroke="${theme.line}"/>`,
      text(place(tick), baseline + 22, `${tick} ms`, `text-anchor="middle" fill="${theme.quiet}"`),
    ]),
    ...rows.flatMap(({ label, times: [ours = Number.NaN, ...others] }, index) => {
      const isLast = index === rows.length - 1;
      const weight = isLast ? `font-weight="600" ` : "";
      return [
        text(left - 20, rowAt(index) + 5, label, `${weight}text-anchor="end" fill="${theme.ink}"`),
        ...others.map((time, other) => shape(other + 1, place(time), rowAt(index))),
        shape(0, place(ours), rowAt(index)),
      ];
    }),
    text(
      width - right,
      height - 10,
      "Farther left is faster; logarithmic scale.",
      `text-anchor="end" fill="${theme.quiet}"`,
    ),
  ];
  const description = rows.map(
    ({ label, times: found }) =>
      `${label}: ${found.map((time, index) => `${systems[index]} ${time.toPrecision(3)} ms`).join(", ")}`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description" font-family="system-ui, sans-serif" font-size="13">
<title id="title">${escapeText(title)}</title>
<desc id="description">${escapeText(description.join("; "))}</desc>
${parts.join("\n")}
</svg>
`;
}

function round(position: number): number {
  return Math.round(position * 10) / 10;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
