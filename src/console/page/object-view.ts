import { html, nothing } from 'lit-html'
import type { TemplateResult } from 'lit-html'
import type {
  CallInfo,
  ChainLink,
  ExtraList,
  FinalizerInfo,
  ObjectAnswer,
  ObjectPage,
  PageExplanation,
  RelatedObject,
  Tone,
} from '../protocol.ts'
import { formatAge, formatDuration } from './format.ts'
import { stateView } from './table-view.ts'
import { waterfall } from './waterfall.ts'

export function objectView(answer: ObjectAnswer | undefined, nowMs: number): TemplateResult {
  if (!answer) return html`<p class="empty">Loading…</p>`
  if ('problem' in answer) return html`<p class="problem" role="alert">${answer.problem}</p>`
  const { page } = answer
  return html`
    <article class="object">
      <h1>${page.title}</h1>
      ${page.explanation ? answerView(page.explanation) : nothing}
      ${page.life ? section('Life', waterfall(page.life)) : nothing} ${factsView(page)}
      ${page.lists.map((list) => section(list.title, extraListView(list)))}
      ${page.related.length > 0 ? section('Objects', relatedView(page.related)) : nothing}
      ${page.finalizers.length > 0 ? section('Finalizers', finalizersView(page.finalizers)) : nothing}
      ${page.calls && page.calls.length > 0 ? section('Recent calls', callsView(page.calls, nowMs)) : nothing}
      ${page.explanation?.events.length ? section('Events', eventsView(page.explanation, nowMs)) : nothing}
      ${
        page.explanation?.unseen.length
          ? section('Not visible, so the answer may be incomplete', bulletsView(page.explanation.unseen))
          : nothing
      }
    </article>
  `
}

const bulletsView = (texts: readonly string[]): TemplateResult =>
  html`<ul>
    ${texts.map((text) => html`<li>${text}</li>`)}
  </ul>`

const answerView = ({ isReady, sentence, alsoWaitsFor, chain }: PageExplanation): TemplateResult => html`
  <p class="sentence" role="status">${stateView({ tone: isReady ? 'good' : 'waiting' }, sentence)}</p>
  ${alsoWaitsFor.length > 0 ? section('Further problems', bulletsView(alsoWaitsFor)) : nothing}
  ${section('Why', chainView(chain))}
`

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
    : section(
        'Facts',
        html`<dl>
          ${facts.map(
            ([name, value]) =>
              html`<div>
                <dt>${name}</dt>
                <dd>${value}</dd>
              </div>`,
          )}
        </dl>`,
      )

const listOf = (label: string, headings: readonly string[], rows: readonly TemplateResult[]): TemplateResult =>
  html`<div class="wide" role="region" tabindex="0" aria-label=${label}>
    <table class="list">
      <thead>
        <tr>
          ${headings.map((title) => html`<th scope="col">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`

const extraListView = ({ title, headings, rows, note }: ExtraList): TemplateResult => html`
  ${
    rows.length === 0
      ? html`<p class="empty">There are none.</p>`
      : listOf(
          title,
          headings,
          rows.map(
            (cells) =>
              html`<tr>
                ${cells.map(
                  (cell) =>
                    html`<td>
                      ${typeof cell === 'string' ? cell : html`<a href=${`#/${cell.target}`}>${cell.text}</a>`}
                    </td>`,
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
          <td>${target ? html`<a href=${`#/${target}`}>${name}</a>` : name}</td>
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
          <td>${object}</td>
          <td>${finalizer}</td>
          <td>${holder}</td>
          <td>${removedWhen}</td>
        </tr>`,
    ),
  )

const callsView = (calls: readonly CallInfo[], nowMs: number): TemplateResult =>
  listOf(
    'Recent calls',
    ['Call', 'By', 'When', 'Took', 'Result'],
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
