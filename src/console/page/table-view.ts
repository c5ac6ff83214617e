import { html, nothing } from 'lit-html'
import type { TemplateResult } from 'lit-html'
import { repeat } from 'lit-html/directives/repeat.js'
import type { Column, Row } from '../protocol.ts'
import { formatCell, SYMBOLS, TONE_WORDS } from './format.ts'
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
    ${note ? html`<p class="note">${note}</p>` : nothing}
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
      ${rows.length === 0 ? html`<p class="empty">${emptyText(parts)}</p>` : nothing}
    </div>
  `
}

function emptyText({ table, isComplete }: TableViewParts): string {
  if (!isComplete) return 'Loading…'
  if (table.rows.size > 0) return 'Nothing matches the filter.'
  return table.info.name === 'stuck' ? 'Nothing is waiting.' : 'There are none.'
}

function heading({ title }: Column, index: number, { sort, onSort }: TableViewParts): TemplateResult {
  const direction = sort?.column === index ? (sort.isDescending ? 'descending' : 'ascending') : 'none'
  const arrow = direction === 'none' ? '' : direction === 'ascending' ? ' ↑' : ' ↓'
  return html`<th scope="col" aria-sort=${direction} class="column-${index}">
    <button type="button" @click=${() => onSort(index)}>${title}${arrow}</button>
  </th>`
}

function rowView(row: Row, index: number, columns: readonly Column[], { nowMs }: TableViewParts): TemplateResult {
  // Namespaced tables have the name in the second column.
  const linked = columns[0]?.title === 'Namespace' ? 1 : 0
  return html`<tr aria-rowindex=${index + 2} data-index=${index} class="tone-${row.tone}">
    ${columns.map((column, at) => {
      const text = formatCell(row.cells[at] ?? null, column.kind, nowMs)
      const content = column.kind === 'state' ? stateView(row, text) : html`${text}`
      return html`<td class="column-${at} ${column.kind}" title=${text}>
        ${at === linked && row.target ? html`<a href=${`#/${row.target}`} data-row=${index}>${content}</a>` : content}
      </td>`
    })}
  </tr>`
}

export const stateView = ({ tone }: Pick<Row, 'tone'>, text: string): TemplateResult =>
  html`<span class="state ${tone}"
    ><span aria-hidden="true">${SYMBOLS[tone]}</span> ${text}${
      TONE_WORDS[tone] === '' ? nothing : html`<span class="spoken"> (${TONE_WORDS[tone]})</span>`
    }</span
  >`
