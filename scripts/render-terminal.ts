/** A line of a terminal: what was typed, or what came of it. */
export type TerminalLine =
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'output'; readonly text: string }

const CHARACTER = { width: 7.8, height: 18, size: 13 }
const MARGIN = 16
const FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
// Of its own background, so that it looks the same on a light page and on a dark one.
const COLOURS = { background: '#0d1117', border: '#30363d', output: '#c9d1d9', typed: '#7ee787' }

/** The picture of a terminal so many columns wide, as SVG: only text and two rectangles, no script, nothing from elsewhere. */
export function renderTerminal(
  lines: readonly TerminalLine[],
  { columns, title }: { columns: number; title: string },
): string {
  const rows = lines.flatMap(({ kind, text }) =>
    wrap(kind === 'typed' ? `$ ${text}` : text, columns).map((row) => ({ kind, row })),
  )
  const width = Math.ceil(columns * CHARACTER.width + 2 * MARGIN)
  const height = rows.length * CHARACTER.height + 2 * MARGIN
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${COLOURS.background}" stroke="${COLOURS.border}"/>`,
    `<g font-family="${FONTS}" font-size="${CHARACTER.size}" xml:space="preserve">`,
    ...rows.flatMap(({ kind, row }, index) => (row.trim() === '' ? [] : [renderRow(row, index, COLOURS[kind])])),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

// Blanks at the front become a place, since not everything that shows SVG keeps them; the length holds columns together in every font.
function renderRow(row: string, index: number, colour: string): string {
  const text = row.trim()
  const x = MARGIN + row.indexOf(text) * CHARACTER.width
  const y = MARGIN + (index + 1) * CHARACTER.height - 5
  const place = `x="${x.toFixed(1)}" y="${y}" fill="${colour}" textLength="${(Array.from(text).length * CHARACTER.width).toFixed(1)}"`
  return `<text ${place} lengthAdjust="spacingAndGlyphs">${escapeXml(text.replaceAll(' ', '\u00a0'))}</text>`
}

/** As a terminal does: in the middle of a word, when that is where it ends. */
function wrap(text: string, columns: number): string[] {
  const characters = Array.from(text.replaceAll('\t', '        ').replaceAll(/\p{Cc}/gu, ''))
  const rows: string[] = []
  for (let at = 0; at === 0 || at < characters.length; at += columns)
    rows.push(characters.slice(at, at + columns).join(''))
  return rows
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeXml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
