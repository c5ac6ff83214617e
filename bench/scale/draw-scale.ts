/** One line of a chart: what it is, and its points. */
export type Chart = {
  readonly title: string
  readonly xLabel: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
  format(y: number): string
}

const [WIDTH, HEIGHT] = [300, 220]
const MARGIN = { left: 20, right: 30, top: 40, bottom: 40 }

/** Charts side by side as SVG, each with a logarithmic x axis and a y axis that begins at zero. */
export function drawScale(charts: readonly Chart[]): string {
  const panels = charts.map((chart, index) => `<g transform="translate(${index * WIDTH} 0)">${drawPanel(chart)}</g>`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH * charts.length} ${HEIGHT}" font-family="sans-serif" font-size="11" role="img">
<title>Cost of one volume by the size of the cluster</title>
<style>text { fill: #24292f } .line { stroke: #0969da; fill: none; stroke-width: 2 } .dot { fill: #0969da } .axis { stroke: #8c959f }
@media (prefers-color-scheme: dark) { text { fill: #c9d1d9 } .line { stroke: #58a6ff } .dot { fill: #58a6ff } }</style>
${panels.join('\n')}
</svg>
`
}

function drawPanel({ title, xLabel, points, format }: Chart): string {
  const sorted = points.toSorted((one, other) => one.x - other.x)
  const [from, to] = [Math.log10(sorted[0]?.x ?? 1), Math.log10(sorted.at(-1)?.x ?? 10)]
  const top = Math.max(...sorted.map(({ y }) => y), Number.MIN_VALUE)
  const xOf = (x: number): number =>
    MARGIN.left + ((Math.log10(x) - from) / Math.max(to - from, 0.1)) * (WIDTH - MARGIN.left - MARGIN.right)
  const yOf = (y: number): number => HEIGHT - MARGIN.bottom - (y / top) * (HEIGHT - MARGIN.top - MARGIN.bottom)
  const base = HEIGHT - MARGIN.bottom
  const dots = sorted.map(({ x, y }) => {
    const [left, height] = [xOf(x).toFixed(1), yOf(y)]
    return `<circle class="dot" cx="${left}" cy="${height.toFixed(1)}" r="3"/><text x="${left}" y="${(height - 8).toFixed(1)}" text-anchor="middle">${format(y)}</text><text x="${left}" y="${base + 15}" text-anchor="middle">${x.toLocaleString('en')}</text>`
  })
  return `<text x="${WIDTH / 2}" y="16" text-anchor="middle" font-weight="bold">${title}</text>
<line class="axis" x1="${MARGIN.left}" y1="${base}" x2="${WIDTH - MARGIN.right}" y2="${base}"/>
<polyline class="line" points="${sorted.map(({ x, y }) => `${xOf(x).toFixed(1)},${yOf(y).toFixed(1)}`).join(' ')}"/>
${dots.join('\n')}
<text x="${WIDTH / 2}" y="${HEIGHT - 6}" text-anchor="middle">${xLabel}</text>`
}
