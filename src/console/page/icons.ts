import { svg } from 'lit-html'
import type { SVGTemplateResult } from 'lit-html'
import type { Tone } from '../protocol.ts'

/** Symbols that differ in shape, so that nothing depends on colours. Drawn, because fonts differ. */
export const ICONS: Readonly<Record<Tone, SVGTemplateResult>> = {
  good: svg`<circle cx="8" cy="8" r="7" fill="currentColor"></circle><path class="cut" d="M4.6 8.2 7 10.6l4.4-5"></path>`,
  waiting: svg`<circle class="ring" cx="8" cy="8" r="6.2"></circle><path class="ring" d="M8 4.4V8l2.6 1.6"></path>`,
  bad: svg`<path fill="currentColor" d="M8 .9 15.6 14.6H.4Z"></path><path class="cut" d="M8 5.6v4M8 11.6v1"></path>`,
  plain: svg`<circle class="ring" cx="8" cy="8" r="5.4"></circle>`,
}
