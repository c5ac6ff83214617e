import { html, nothing, render } from 'lit-html'
import type { TemplateResult } from 'lit-html'
import type { ObjectAnswer, Row, StreamMessage } from '../protocol.ts'
import { formatCount } from './format.ts'
import { createModel, receive, visibleRows } from './model.ts'
import { objectView } from './object-view.ts'
import { ROW_HEIGHT, tableView } from './table-view.ts'

const app = document.querySelector<HTMLElement>('#app') ?? document.body
const model = createModel()
let shown: readonly Row[] = []

const isTable = (): boolean => model.tables.has(model.route)
const scroller = (): HTMLElement | null => app.querySelector('.scroller')

// Several changes in one turn are drawn once.
let isDrawing = false
function draw(): void {
  if (isDrawing) return
  isDrawing = true
  requestAnimationFrame(() => {
    isDrawing = false
    render(view(), app)
  })
}

function view(): TemplateResult {
  return html`
    <a class="skip" href="#main" @click=${skipToMain}>Skip to content</a>
    <header>
      <span class="brand"><img src="/page/icon.svg" alt="" width="20" height="20" />Holdfast</span>
      <nav aria-label="Lists">
        ${Array.from(model.tables.values(), ({ info, rows }) => {
          const isCurrent = model.route === info.name
          return html`<a href=${`#/${info.name}`} aria-current=${isCurrent ? 'page' : nothing}
            >${info.title}
            <span class="count ${rows.size > 0 ? (ALARMS[info.name] ?? '') : ''}">${formatCount(rows.size)}</span></a
          >`
        })}
      </nav>
      <span class="server"
        >${model.problem ? 'not up to date' : model.isComplete ? 'live' : 'connecting'} · ${model.server}</span
      >
    </header>
    ${model.problem ? html`<p class="problem" role="alert">Not up to date: ${model.problem}</p>` : nothing}
    <main id="main" tabindex="-1">${isTable() ? tablePage() : objectPage()}</main>
  `
}

/** Lists that should be empty. */
const ALARMS: Readonly<Record<string, string>> = { stuck: 'waiting', leaks: 'bad' }

function tablePage(): TemplateResult | typeof nothing {
  const table = model.tables.get(model.route)
  if (!table) return nothing
  const sort = model.sorts.get(model.route)
  shown = visibleRows(table, model.filter, sort)
  const area = scroller()
  return html`
    <div class="tools">
      <h1>${table.info.title}</h1>
      <label for="filter" class="spoken">Filter</label>
      <input
        id="filter"
        type="search"
        autocomplete="off"
        spellcheck="false"
        placeholder="Filter, or press /"
        .value=${model.filter}
        @input=${(event: InputEvent) => setFilter((event.target as HTMLInputElement).value)}
      />
      <span role="status"
        >${shown.length === table.rows.size ? formatCount(shown.length) : `${formatCount(shown.length)} of ${formatCount(table.rows.size)}`}</span
      >
    </div>
    ${tableView({
      table,
      rows: shown,
      isComplete: model.isComplete,
      sort,
      scrollTop: area?.scrollTop ?? 0,
      height: area?.clientHeight ?? window.innerHeight,
      nowMs: Date.now(),
      onScroll: draw,
      onSort: (column) => {
        model.sorts.set(model.route, { column, isDescending: sort?.column === column && !sort.isDescending })
        draw()
      },
    })}
  `
}

const objectPage = (): TemplateResult => {
  if (!model.isComplete && model.tables.size === 0) return html`<h1 class="empty">Connecting…</h1>`
  return html`<p class="back"><a href="#/stuck" @click=${goBack}>← Back</a></p>
    ${objectView(model.object, {
      target: model.route,
      nowMs: Date.now(),
      showsRequests: model.showsRequests,
      onToggleRequests: () => {
        model.showsRequests = !model.showsRequests
        draw()
      },
    })}`
}

function goBack(event: Event): void {
  if (history.length <= 1) return
  event.preventDefault()
  history.back()
}

function skipToMain(event: Event): void {
  event.preventDefault()
  app.querySelector<HTMLElement>('#main')?.focus()
}

function setFilter(text: string): void {
  model.filter = text
  const area = scroller()
  if (area) area.scrollTop = 0
  draw()
}

// Reads the page of an object; while one reading is under way, the next one waits.
let reading = false
let isStale = false
async function readObject(): Promise<void> {
  if (isTable()) return
  if (reading) {
    isStale = true
    return
  }
  reading = true
  const { route } = model
  try {
    const response = await fetch(`/object?target=${encodeURIComponent(route)}`)
    const answer = (await response.json()) as ObjectAnswer
    if (model.route === route) model.object = answer
  } catch (error) {
    if (model.route === route) model.object = { problem: `The page could not be read: ${String(error)}` }
  } finally {
    reading = false
  }
  draw()
  if (isStale || model.route !== route) {
    isStale = false
    await readObject()
  }
}

function navigate(): void {
  const route = decodeURIComponent(location.hash.replace(/^#\/?/, '')) || 'stuck'
  if (route === model.route && model.object) return
  model.route = route
  model.object = undefined
  model.filter = ''
  document.title = `${model.tables.get(route)?.info.title ?? route} · Holdfast`
  draw()
  void readObject()
}

/** Whether the page that is open shows one of these objects. */
function concernsObject(objects: readonly string[]): boolean {
  if (isTable() || objects.length === 0) return false
  if (!model.object || 'problem' in model.object || objects.includes('*')) return true
  const { shows, calls } = model.object.page
  return objects.some((each) => shows.includes(each) || (each === 'CSI calls' && calls !== undefined))
}

const stream = new EventSource('/stream')
stream.addEventListener('message', (event: MessageEvent<string>) => {
  const message = JSON.parse(event.data) as StreamMessage
  const objects = receive(model, message)
  if (message.kind === 'complete' || concernsObject(objects)) void readObject()
  draw()
})
stream.addEventListener('error', () => {
  model.problem = 'the connection to the console is lost; it reconnects by itself'
  draw()
})

/** Moves the focus from row to row, also to one that has to be drawn first. */
function focusRow(index: number): void {
  const area = scroller()
  if (!area || index < 0 || index >= shown.length) return
  const top = index * ROW_HEIGHT
  if (top < area.scrollTop) area.scrollTop = top
  else if (top + 2 * ROW_HEIGHT > area.scrollTop + area.clientHeight)
    area.scrollTop = top - area.clientHeight + 3 * ROW_HEIGHT
  render(view(), app)
  app.querySelector<HTMLElement>(`a[data-row="${index}"]`)?.focus({ preventScroll: true })
}

addEventListener('keydown', (event) => {
  const { target } = event
  const isTyping = target instanceof HTMLInputElement
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === '/' && !isTyping) {
    event.preventDefault()
    app.querySelector<HTMLElement>('#filter')?.focus()
  } else if (event.key === 'Escape') {
    if (isTyping && model.filter !== '') setFilter('')
    else if (!isTable()) history.back()
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    const current = target instanceof HTMLElement ? target.dataset['row'] : undefined
    if (!isTable() || (current === undefined && !isTyping)) return
    event.preventDefault()
    focusRow(current === undefined ? 0 : Number(current) + (event.key === 'ArrowDown' ? 1 : -1))
  }
})

addEventListener('hashchange', navigate)
addEventListener('resize', draw)
// Ages grow and clocks run while nothing else changes.
setInterval(draw, 1000)
navigate()
draw()
