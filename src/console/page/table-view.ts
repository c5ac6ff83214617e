import { html, nothing } from 'lit-html'
import type { TemplateResult } from 'lit-html'
import { repeat } from 'lit-html/directives/repeat.js'
import type { Cell, Column, Row } from '../protocol.ts'
import { formatCell, TONE_WORDS } from './format.ts'
import { ICONS } from './icons.ts'
import { meter } from './meter.ts'
import type { LoadedTable, Sort } from './model.ts'

export type TableViewParts = {
  readonly table: LoadedTable
  readonly rows: readonly Row[]
  readonly isComplete: boolean
  readonly sort: Sort | undefined
  /** What is scrolled to. */
  readonly scrollTop: number
  readonly height: number
  readonly nowMs: number
  onSort(column: number): void
  onScroll(): void
}

export const ROW_HEIGHT = 36
const MARGIN_ROWS = 12

/** A table that draws only the rows in sight, so that ten thousand cost as much as fifty. */
export function tableView(parts: TableViewParts): TemplateResult {
  const { table, rows, scrollTop, height, onScroll } = parts
  const { columns, title, note, name } = table.info
  const isTall = name === 'stuck'
  const first = isTall ? 0 : Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - MARGIN_ROWS)
  const last = isTall ? rows.length : Math.min(rows.length, Math.ceil((scrollTop + height) / ROW_HEIGHT) + MARGIN_ROWS)
  const spacer = (count: number): TemplateResult | typeof nothing =>
    count > 0
      ? html`<tr aria-hidden="true" class="spacer">
          <td .style=${`height:${count * ROW_HEIGHT}px`}></td>
        </tr>`
      : nothing
  return html`
    <div class="scroller" tabindex="-1" @scroll=${onScroll}>
      <table class="rows ${name}" aria-label=${title} aria-rowcount=${rows.length + 1}>
        <thead>
          <tr aria-rowindex="1">
            ${columns.map((column, index) => heading(column, index, parts))}
          </tr>
        </thead>
        <tbody>
          ${spacer(first)}
          ${repeat(
            rows.slice(first, last),
            ({ key }) => key,
            (row, index) => rowView(row, first + index, columns, parts),
          )}
          ${spacer(rows.length - last)}
        </tbody>
      </table>
      ${rows.length === 0 ? emptyView(parts) : nothing} ${note ? html`<p class="note">${note}</p>` : nothing}
    </div>
  `
}

function emptyView({ table: { info, rows }, isComplete }: TableViewParts): TemplateResult {
  if (!isComplete) return html`<p class="empty">Loading…</p>`
  if (rows.size > 0) return html`<p class="empty">Nothing matches the filter. Escape clears it.</p>`
  const tone = info.name === 'stuck' || info.name === 'leaks' ? 'good' : 'plain'
  return html`<p class="empty">${iconOf(tone)}<span>${info.empty ?? `No ${info.title.toLowerCase()}`}</span></p>`
}

// Where there is little room, only the main columns are shown.
const classesOf = ({ kind, isMain }: Column, index: number): string =>
  `${kind} ${(isMain ?? index < 4) ? 'main' : 'further'}`

function heading(column: Column, index: number, { sort, onSort }: TableViewParts): TemplateResult {
  const direction = sort?.column === index ? (sort.isDescending ? 'descending' : 'ascending') : 'none'
  const arrow = direction === 'none' ? '' : direction === 'ascending' ? ' ↑' : ' ↓'
  return html`<th scope="col" aria-sort=${direction} class=${classesOf(column, index)}>
    <button type="button" @click=${() => onSort(index)}>${column.title}${arrow}</button>
  </th>`
}

function rowView(row: Row, index: number, columns: readonly Column[], { nowMs }: TableViewParts): TemplateResult {
  // Namespaced tables have the name in the second column.
  const linked = columns[0]?.title === 'Namespace' ? 1 : 0
  return html`<tr aria-rowindex=${index + 2} data-index=${index} class="tone-${row.tone}">
    ${columns.map((column, at) => {
      const cell = row.cells[at] ?? null
      const text = formatCell(cell, column.kind, nowMs)
      const content = contentOf(row, column, cell, text)
      return html`<td class=${classesOf(column, at)} title=${text}>
        ${at === linked && row.target ? html`<a href=${`#/${row.target}`} data-row=${index}>${content}</a>` : content}
      </td>`
    })}
  </tr>`
}

function contentOf(row: Row, { kind }: Column, cell: Cell, text: string): TemplateResult {
  switch (kind) {
    case 'state':
      return stateView(row, text)
    case 'share':
      return typeof cell === 'number' ? html`${meter(cell)} ${text}` : html``
    case 'list':
      return html`${text.split('\n').map((line) => html`<div>${line}</div>`)}`
    default:
      return html`${text}`
  }
}

const iconOf = (tone: Row['tone']): TemplateResult =>
  html`<svg class="icon ${tone}" viewBox="0 0 16 16" aria-hidden="true">${ICONS[tone]}</svg>`

export const stateView = ({ tone }: Pick<Row, 'tone'>, text: string): TemplateResult =>
  html`<span class="state ${tone}"
    >${iconOf(tone)}
    ${text}${TONE_WORDS[tone] === '' ? nothing : html`<span class="spoken"> (${TONE_WORDS[tone]})</span>`}</span
  >`
