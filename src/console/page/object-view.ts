import { html, nothing } from 'lit-html'
import type { TemplateResult } from 'lit-html'
import type { Explanation, Link } from '../../explain/index.ts'
import type { CallInfo, FinalizerInfo, ObjectAnswer, ObjectPage, RelatedObject, Tone } from '../protocol.ts'
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
      <p class="sentence" role="status">
        ${stateView({ tone: page.explanation.isReady ? 'good' : 'waiting' }, page.explanation.sentence)}
      </p>
      ${
        page.explanation.alsoWaitsFor.length > 0
          ? section(
              'Further problems',
              html`<ul>
                ${page.explanation.alsoWaitsFor.map((each) => html`<li>${each}</li>`)}
              </ul>`,
            )
          : nothing
      }
      ${section('Why', chainView(page.explanation.chain))}
      ${page.life ? section('Life', waterfall(page.life)) : nothing} ${factsView(page)}
      ${page.related.length > 0 ? section('Objects', relatedView(page.related)) : nothing}
      ${page.finalizers.length > 0 ? section('Finalizers', finalizersView(page.finalizers)) : nothing}
      ${page.calls && page.calls.length > 0 ? section('Recent calls', callsView(page.calls, nowMs)) : nothing}
      ${page.explanation.events.length > 0 ? section('Events', eventsView(page.explanation, nowMs)) : nothing}
      ${
        page.explanation.unseen.length > 0
          ? section(
              'Not visible, so the answer may be incomplete',
              html`<ul>
                ${page.explanation.unseen.map((each) => html`<li>${each}</li>`)}
              </ul>`,
            )
          : nothing
      }
    </article>
  `
}

const section = (title: string, content: TemplateResult): TemplateResult =>
  html`<section>
    <h2>${title}</h2>
    ${content}
  </section>`

const TONES: Readonly<Record<Link['status'], Tone>> = { ready: 'good', waits: 'waiting', follows: 'plain' }

/** The chain to the cause: each object with what it depends on below it. */
function chainView(link: Link): TemplateResult {
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

const SHORT: Readonly<Record<string, string>> = {
  PersistentVolumeClaim: 'pvc',
  PersistentVolume: 'pv',
  VolumeAttachment: 'va',
  VolumeSnapshot: 'vs',
  VolumeSnapshotContent: 'vsc',
  Pod: 'pod',
}

function linkName({ object, state }: Link): TemplateResult {
  const [short, key] = [SHORT[object.kind], object.namespace ? `${object.namespace}/${object.name}` : object.name]
  const text = `${object.kind} ${key}`
  return short && state !== 'absent' ? html`<a href=${`#/${short}/${key}`}>${text}</a>` : html`<span>${text}</span>`
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

const eventsView = ({ events }: Explanation, nowMs: number): TemplateResult =>
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
