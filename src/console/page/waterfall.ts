import { html, nothing, svg } from 'lit-html'
import type { TemplateResult } from 'lit-html'
import type { Life, LifeStep } from '../protocol.ts'
import { formatDuration } from './format.ts'

export type WaterfallParts = {
  /** Whether requests to the API server are listed, too. */
  readonly showsRequests: boolean
  onToggleRequests(): void
}

type Span = { readonly begin: number; readonly end: number }

/** The life of a volume as bars on one time line. The table has the same as text. */
export function waterfall({ steps, slowest, note }: Life, parts: WaterfallParts): TemplateResult {
  if (steps.length === 0) return html`<p class="empty">Nothing of the volume's life is known yet.</p>`
  const begin = Math.min(...steps.map(({ startMs }) => startMs))
  const end = Math.max(...steps.map(({ startMs, endMs = startMs }) => endMs))
  const requests = steps.filter(isRequest).length
  const shown = steps.flatMap((step, index) => (parts.showsRequests || !isRequest(step) ? [{ step, index }] : []))
  return html`
    ${summaryView(steps, slowest, { begin, end })}
    <div class="wide" role="region" tabindex="0" aria-label="Life">
      <table class="life">
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col" class="by">By</th>
            <th scope="col" class="number">Took</th>
            <th scope="col" class="axis">
              <span>0</span><span class="middle">${formatDuration((end - begin) / 2)}</span
              ><span>${formatDuration(end - begin)}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          ${shown.map(({ step, index }) => stepView(step, { begin, end }, index === slowest))}
        </tbody>
      </table>
    </div>
    ${
      requests > 0
        ? html`<p class="more">
            <button type="button" aria-pressed=${parts.showsRequests} @click=${parts.onToggleRequests}>
              ${parts.showsRequests ? 'Hide' : 'Show'} ${requests} ${requests === 1 ? 'request' : 'requests'} to the API
              server
            </button>
          </p>`
        : nothing
    }
    ${note ? html`<p class="note">${note}</p>` : nothing}
  `
}

const isRequest = ({ isCall = false, who, error }: LifeStep): boolean =>
  isCall && who === 'API server' && error === undefined

function summaryView(
  steps: readonly LifeStep[],
  slowest: number | undefined,
  { begin, end }: Span,
): TemplateResult | typeof nothing {
  const step = slowest === undefined ? undefined : steps[slowest]
  if (!step || end <= begin) return nothing
  const tookMs = (step.endMs ?? end) - step.startMs
  const percent = Math.round((100 * tookMs) / (end - begin))
  return html`<p class="summary">
    <b>${formatDuration(end - begin)}</b> in total. Slowest step: <b>${step.title}</b>, ${formatDuration(tookMs)}
    (${percent} %), by ${step.who}.
  </p>`
}

function stepView(step: LifeStep, { begin, end }: Span, isSlowest: boolean): TemplateResult {
  const { title, who, startMs, endMs: knownEndMs, isCall = false, error, source } = step
  const isOver = knownEndMs !== undefined
  const endMs = knownEndMs ?? end
  const percentOf = (ms: number): number => (100 * ms) / Math.max(1, end - begin)
  const x = percentOf(startMs - begin)
  const isRough = source === 'object' || source === 'event'
  const took = isOver ? `${isRough ? 'about ' : ''}${formatDuration(endMs - startMs)}` : 'not done yet'
  const kind = error ? 'failed' : isCall ? 'call' : isSlowest ? 'slowest' : 'step'
  return html`<tr class=${isCall ? 'call' : 'step'}>
    <th scope="row">
      ${title}${isSlowest ? html` <strong class="tag">slowest</strong>` : nothing}${
        error ? html` <strong class="tag failed">failed</strong>` : nothing
      }<span class="who" aria-hidden="true">${who}</span>
    </th>
    <td class="by">${who}</td>
    <td class="number">${took}</td>
    <td class="bar">
      <svg aria-hidden="true">
        ${[25, 50, 75].map((at) => svg`<line x1=${`${at}%`} x2=${`${at}%`} y1="0" y2="100%"></line>`)}
        ${svg`<rect class=${kind} x=${`${Math.min(x, 99.5)}%`} width=${`${Math.max(0.5, Math.min(percentOf(endMs - startMs), 100 - x))}%`} y=${isCall ? '35%' : '20%'} height=${isCall ? '30%' : '60%'} rx="2"></rect>`}
      </svg>
    </td>
  </tr>`
}
