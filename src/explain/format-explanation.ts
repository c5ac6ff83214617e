import { formatRef } from '../api/object-key.ts'
import { findTimestamp } from '../api/timestamps.ts'
import type { Explanation, Link, RelevantEvent, RunningClock } from './explanation.ts'
import { homeOf, messageOf, nounOf } from './format-sentence.ts'
import { flattenLinks } from './links.ts'
import { formatUsage } from './read-usage.ts'
import { oneLine } from './quote-text.ts'

const MOST_EVENTS = 5

/** For people: the sentence, the chain, the running clocks, the newest events, and what could not be read. */
export function formatExplanation(
  { sentence, alsoWaitsFor, chain, clocks, usage, events, unseen }: Explanation,
  nowMs?: number,
): string {
  const parts = [`${sentence}\n`]
  if (alsoWaitsFor.length > 0) parts.push(`Further problems:\n${alsoWaitsFor.map((each) => `  ${each}\n`).join('')}`)
  parts.push(formatChain(chain))
  if (clocks.length > 0)
    parts.push(`Running clocks:\n${clocks.map((clock) => `  ${formatClock(clock, nowMs)}\n`).join('')}`)
  if (usage) parts.push(`Usage: ${formatUsage(usage)}\n`)
  if (events.length > 0) parts.push(`Events, newest first:\n${events.slice(0, MOST_EVENTS).map(formatEvent).join('')}`)
  if (unseen.length > 0)
    parts.push(`Not visible, so the answer may be incomplete:\n${unseen.map((each) => `  ${each}\n`).join('')}`)
  return parts.join('\n')
}

function formatChain(chain: Link): string {
  const rows = flattenLinks(chain).map(({ link, depth }) => ({
    name: `${'  '.repeat(depth)}${formatRef(link.object.kind, link.object)}`,
    state: link.state,
    why: whyOf(link, homeOf(chain.object)),
  }))
  const [nameWidth, stateWidth] = [widthOf(rows.map(({ name }) => name)), widthOf(rows.map(({ state }) => state))]
  return rows
    .map(({ name, state, why }) => `${`${name.padEnd(nameWidth)}  ${state.padEnd(stateWidth)}  ${why}`.trimEnd()}\n`)
    .join('')
}

function whyOf(link: Link, namespace: string | undefined): string {
  if (link.status === 'ready') return ''
  const next = link.dependsOn.find(({ status }) => status === 'waits')
  if (link.status === 'waits' && next) return `waiting for ${nounOf(next, namespace)}`
  const { reason } = link
  if (!reason) return ''
  return messageOf(reason)
}

/** `VolumeAttachment/csi-1: in 4 min 3 s at the latest (2030-01-01T00:06:00Z), the volume is detached. Sooner: …` */
export function formatClock(
  { object, what, endsAt, isLatest, sooner }: RunningClock,
  nowMs: number | undefined,
): string {
  const leftMs = nowMs === undefined ? undefined : (findTimestamp(endsAt) ?? nowMs) - nowMs
  const atLatest = isLatest ? ' at the latest' : ''
  const when =
    leftMs === undefined
      ? `at ${endsAt}${atLatest}`
      : `${leftMs > 0 ? `in ${formatSeconds(Math.ceil(leftMs / 1000))}` : 'now'}${atLatest} (${endsAt})`
  return `${formatRef(object.kind, object)}: ${when}, ${what}.${sooner === undefined ? '' : ` Sooner: ${sooner}.`}`
}

const formatSeconds = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min${seconds % 60 === 0 ? '' : ` ${seconds % 60} s`}`

function formatEvent({ lastTime, type, reason, object, message, count }: RelevantEvent): string {
  const times = count > 1 ? ` (${count} times)` : ''
  return `  ${[lastTime, type, reason, formatRef(object.kind, object)].filter((part) => part !== '').join('  ')}${times}: ${oneLine(message)}\n`
}

// One long name, such as that of an attachment, does not widen the whole column.
const WIDEST = 62
const widthOf = (texts: readonly string[]): number => Math.min(WIDEST, Math.max(...texts.map(({ length }) => length)))
