import { html, nothing } from 'lit-html'
import type { TemplateResult } from 'lit-html'
import type {
  CallInfo,
  ChainLink,
  ExtraList,
  Fact,
  FinalizerInfo,
  LinkText,
  ObjectAnswer,
  ObjectPage,
  PageExplanation,
  RelatedObject,
  Tone,
  Usage,
} from '../protocol.ts'
import { formatAge, formatBytes, formatCount, formatDuration } from './format.ts'
import { meter } from './meter.ts'
import { stateView } from './table-view.ts'
import { waterfall } from './waterfall.ts'
import type { WaterfallParts } from './waterfall.ts'

export type ObjectViewParts = WaterfallParts & { readonly target: string; readonly nowMs: number }

export function objectView(answer: ObjectAnswer | undefined, parts: ObjectViewParts): TemplateResult {
  if (!answer || 'problem' in answer) {
    return html`<article class="object" aria-busy=${answer ? nothing : 'true'}>
      <h1>${parts.target}</h1>
      ${answer ? html`<p class="problem" role="alert">${answer.problem}</p>` : html`<p class="empty">Loading…</p>`}
    </article>`
  }
  const { page } = answer
  const { nowMs } = parts
  const { explanation } = page
  return html`
    <article class="object">
      <h1><span class="kind">${page.kind}</span> ${page.name}</h1>
      ${explanation ? sentenceView(explanation, nowMs) : nothing}
      <div class="columns">
        <div class="primary">
          ${explanation && !explanation.isReady ? section('Why', chainView(explanation.chain)) : nothing}
          ${page.life ? section('Life', waterfall(page.life, parts)) : nothing}
          ${
            explanation?.isReady && explanation.chain.dependsOn.length > 0
              ? section('Depends on', chainView(explanation.chain))
              : nothing
          }
          ${page.lists.map((list) => section(list.title, extraListView(list)))}
          ${page.related.length > 0 ? section('Objects', relatedView(page.related)) : nothing}
          ${page.finalizers.length > 0 ? section('Finalizers', finalizersView(page.finalizers)) : nothing}
          ${page.calls && page.calls.length > 0 ? section('Recent calls', callsView(page.calls, nowMs)) : nothing}
          ${explanation?.events.length ? section('Events', eventsView(explanation, nowMs)) : nothing}
          ${
            explanation?.unseen.length
              ? section('Not visible, so the answer may be incomplete', bulletsView(explanation.unseen))
              : nothing
          }
        </div>
        ${
          page.usage || page.facts.length > 0
            ? html`<aside aria-label="Facts">${page.usage ? usageView(page.usage) : nothing} ${factsView(page)}</aside>`
            : nothing
        }
      </div>
    </article>
  `
}

const bulletsView = (texts: readonly string[]): TemplateResult =>
  html`<ul>
    ${texts.map((text) => html`<li>${text}</li>`)}
  </ul>`

const sentenceView = (
  { isReady, sentence, alsoWaitsFor, clocks }: PageExplanation,
  nowMs: number,
): TemplateResult => html`
  <div class="answer ${isReady ? 'good' : 'waiting'}">
    <p class="sentence" role="status">${stateView({ tone: isReady ? 'good' : 'waiting' }, sentence)}</p>
    ${clocks.map((clock) => clockView(clock, nowMs))}
    ${
      alsoWaitsFor.length > 0
        ? html`<h2>Further problems</h2>
            ${bulletsView(alsoWaitsFor)}`
        : nothing
    }
  </div>
`

/** A wait that ends by itself, counted down. */
function clockView(
  { what, endsAt, isLatest, sooner }: PageExplanation['clocks'][number],
  nowMs: number,
): TemplateResult {
  const leftMs = Date.parse(endsAt) - nowMs
  const when = leftMs > 0 ? `${isLatest ? 'within' : 'in'} ${formatDuration(Math.ceil(leftMs / 1000) * 1000)}` : 'now'
  return html`<p class="clock"><b>${when}</b> ${what}${sooner === undefined ? '' : `. ${sooner}`}</p>`
}

const usageView = ({ usedBytes, capacityBytes, availableBytes, inodes, inodesUsed }: Usage): TemplateResult => {
  const line = (title: string, percent: number, text: string): TemplateResult =>
    html`<h2>${title}</h2>
      <p class="usage">${meter(percent)} <span>${text}</span></p>`
  return html`${line(
    'Space',
    (100 * usedBytes) / Math.max(1, capacityBytes),
    `${formatBytes(usedBytes)} of ${formatBytes(capacityBytes)} used, ${formatBytes(availableBytes)} free`,
  )}
  ${
    inodes === undefined || inodesUsed === undefined
      ? nothing
      : line('Inodes', (100 * inodesUsed) / inodes, `${formatCount(inodesUsed)} of ${formatCount(inodes)} used`)
  }`
}

const section = (title: string, content: TemplateResult): TemplateResult =>
  html`<section>
    <h2>${title}</h2>
    ${content}
  </section>`

const TONES: Readonly<Record<ChainLink['status'], Tone>> = { ready: 'good', waits: 'waiting', follows: 'plain' }

/** The chain to the cause: each object with what it depends on below it. */
function chainView(link: ChainLink): TemplateResult {
  const next = link.dependsOn.find(({ status }) => status === 'waits')
  const reason = link.status !== 'ready' && !next ? link.reason : undefined
  return html`<ol class="chain">
    <li>
      <div class="link ${link.status}">
        ${linkName(link)} ${stateView({ tone: TONES[link.status] }, link.state)}
        ${next ? html`<span class="because">is waiting for ${next.object.kind} ${next.object.name}</span>` : nothing}
        ${reason?.message ? html`<span class="because">${reason.message}</span>` : nothing}
        ${reason?.cure ? html`<span class="cure">${reason.cure}</span>` : nothing}
      </div>
      ${link.dependsOn.map(chainView)}
    </li>
  </ol>`
}

function linkName({ object, target }: ChainLink): TemplateResult {
  const text = `${object.kind} ${object.namespace ? `${object.namespace}/${object.name}` : object.name}`
  return target === undefined ? html`<span>${text}</span>` : html`<a href=${`#/${target}`}>${text}</a>`
}

const factsView = ({ facts }: ObjectPage): TemplateResult | typeof nothing =>
  facts.length === 0
    ? nothing
    : html`<h2>Facts</h2>
        <dl>
          ${facts.map(
            ([name, value]) =>
              html`<div>
                <dt>${name}</dt>
                <dd>${isSeveral(value) ? tagsView(value) : linkTextView(value)}</dd>
              </div>`,
          )}
        </dl>`

const isSeveral = (value: Fact[1]): value is readonly LinkText[] => Array.isArray(value)

const tagsView = (values: readonly LinkText[]): TemplateResult =>
  html`<ul class="tags">
    ${values.map((value) => html`<li>${linkTextView(value)}</li>`)}
  </ul>`

const linkTextView = (value: LinkText): TemplateResult =>
  typeof value === 'string' ? html`${value}` : html`<a href=${`#/${value.target}`}>${value.text}</a>`

type Heading = { readonly title: string; readonly kind: string }

const listOf = (
  label: string,
  columns: readonly (string | Heading)[],
  rows: readonly TemplateResult[],
): TemplateResult =>
  html`<div class="wide" role="region" tabindex="0" aria-label=${label}>
    <table class="list">
      <thead>
        <tr>
          ${columns.map((column) =>
            typeof column === 'string'
              ? html`<th scope="col">${column}</th>`
              : html`<th scope="col" class=${column.kind}>${column.title}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`

const extraListView = ({ title, columns, rows, note }: ExtraList): TemplateResult => html`
  ${
    rows.length === 0
      ? html`<p class="none">None</p>`
      : listOf(
          title,
          columns,
          rows.map(
            (cells) =>
              html`<tr>
                ${cells.map(
                  (cell, index) => html`<td class=${columns[index]?.kind ?? 'text'}>${linkTextView(cell)}</td>`,
                )}
              </tr>`,
          ),
        )
  }
  ${note === undefined ? nothing : html`<p class="note">${note}</p>`}
`

const relatedView = (related: readonly RelatedObject[]): TemplateResult =>
  listOf(
    'Objects',
    ['Kind', 'Name', 'State'],
    related.map(
      ({ kind, name, state, target }) =>
        html`<tr>
          <td>${kind}</td>
          <td class="id">${target ? html`<a href=${`#/${target}`}>${name}</a>` : name}</td>
          <td>${state}</td>
        </tr>`,
    ),
  )

const finalizersView = (finalizers: readonly FinalizerInfo[]): TemplateResult =>
  listOf(
    'Finalizers',
    ['On', 'Finalizer', 'Held by', 'Removed when'],
    finalizers.map(
      ({ object, finalizer, holder, removedWhen }) =>
        html`<tr>
          <td class="id">${object}</td>
          <td class="id">${finalizer}</td>
          <td>${holder}</td>
          <td>${removedWhen}</td>
        </tr>`,
    ),
  )

const callsView = (calls: readonly CallInfo[], nowMs: number): TemplateResult =>
  listOf(
    'Recent calls',
    ['Call', 'By', 'When', { title: 'Took', kind: 'number' }, 'Result'],
    calls.map(
      ({ method, by, startMs, tookMs, code, error }) =>
        html`<tr>
          <td>${method}</td>
          <td>${by}</td>
          <td>${formatAge(startMs, nowMs)} ago</td>
          <td class="number">${formatDuration(tookMs)}</td>
          <td>${stateView({ tone: code === 'OK' ? 'good' : 'bad' }, error ?? code)}</td>
        </tr>`,
    ),
  )

const eventsView = ({ events }: PageExplanation, nowMs: number): TemplateResult =>
  listOf(
    'Events',
    ['When', 'Type', 'Reason', 'Object', 'Message'],
    events.map(
      ({ lastTime, type, reason, object, message, count }) =>
        html`<tr>
          <td>
            ${lastTime === '' ? '' : `${formatAge(Date.parse(lastTime), nowMs)} ago`}${count > 1 ? ` (${count} times)` : ''}
          </td>
          <td>${type}</td>
          <td>${reason}</td>
          <td>${object.kind} ${object.name}</td>
          <td>${message}</td>
        </tr>`,
    ),
  )
