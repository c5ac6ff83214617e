import { html, nothing, svg } from 'lit-html'
import type { TemplateResult } from 'lit-html'
import type { Life, LifeStep } from '../protocol.ts'
import { formatDuration } from './format.ts'

const WIDTH = 400
const BAR_HEIGHT = 14

/** The life of a volume as bars on one time line. The table has the same as text. */
export function waterfall({ steps, slowest, note }: Life): TemplateResult {
  if (steps.length === 0) return html`<p class="empty">Nothing of the volume's life is known yet.</p>`
  const begin = Math.min(...steps.map(({ startMs }) => startMs))
  const end = Math.max(...steps.map(({ startMs, endMs = startMs }) => endMs))
  const scale = WIDTH / Math.max(1, end - begin)
  return html`
    <div class="wide" role="region" tabindex="0" aria-label="Life">
      <table class="life">
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">By</th>
            <th scope="col">Took</th>
            <th scope="col">${formatDuration(end - begin)} in total</th>
          </tr>
        </thead>
        <tbody>
          ${steps.map((step, index) => stepView(step, { begin, end, scale, isSlowest: index === slowest }))}
        </tbody>
      </table>
    </div>
    ${note ? html`<p class="note">${note}</p>` : nothing}
  `
}

function stepView(
  { title, who, startMs, endMs: knownEndMs, isCall = false, error, source }: LifeStep,
  { begin, end, scale, isSlowest }: { begin: number; end: number; scale: number; isSlowest: boolean },
): TemplateResult {
  const isOver = knownEndMs !== undefined
  const endMs = knownEndMs ?? end
  const x = (startMs - begin) * scale
  const width = Math.max(2, (endMs - startMs) * scale)
  const duration = formatDuration(endMs - startMs)
  const isRough = source === 'object' || source === 'event'
  const took = isOver ? `${isRough ? 'about ' : ''}${duration}` : 'not done yet'
  const kind = error ? 'failed' : isCall ? 'call' : isSlowest ? 'slowest' : 'step'
  return html`<tr class=${isCall ? 'call' : 'step'}>
    <th scope="row">
      ${title}${isSlowest ? html` <strong>slowest</strong>` : nothing}${error ? html` <strong>failed</strong>` : nothing}
    </th>
    <td>${who}</td>
    <td class="number">${took}</td>
    <td class="bar">
      <svg viewBox="0 0 ${WIDTH} ${BAR_HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
        ${svg`<rect class=${kind} x=${x} y="1" width=${Math.min(width, WIDTH - x + 2)} height=${BAR_HEIGHT - 2}></rect>`}
      </svg>
    </td>
  </tr>`
}
