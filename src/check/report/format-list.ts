import type { CaseInfo } from '../case.ts'
import { findMissing } from '../find-missing.ts'
import type { Offer } from '../find-missing.ts'

/** One line for each case; with an offer, whether the case would run. */
export function formatList(cases: readonly CaseInfo[], offer?: Offer): string {
  const width = Math.max(...cases.map(({ id }) => id.length), 0)
  const lines = cases.map(({ id, title, needs }) => {
    const missing = offer && findMissing(needs, offer)
    return `${offer ? (missing === undefined ? 'run  ' : 'n/a  ') : ''}${id.padEnd(width)}  ${missing ?? title}\n`
  })
  return lines.join('')
}
