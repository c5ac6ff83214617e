import { svg, html } from 'lit-html'
import type { TemplateResult } from 'lit-html'

/** How full something is, as a bar. The number stands beside it as text. */
export const meter = (percent: number): TemplateResult => {
  const level = percent >= 95 ? 'bad' : percent >= 80 ? 'waiting' : 'plain'
  return html`<svg class="meter ${level}" aria-hidden="true">
    ${svg`<rect class="track" width="100%" height="100%" rx="3"></rect><rect class="fill" width=${`${Math.min(100, Math.max(1, percent))}%`} height="100%" rx="3"></rect>`}
  </svg>`
}
