import { formatRef } from '../api/object-key.ts'
import type { Explanation, Link, RelevantEvent } from './explanation.ts'
import { messageOf, nounOf } from './format-sentence.ts'
import { flattenLinks } from './links.ts'
import { formatUsage } from './read-usage.ts'
import { oneLine } from './quote-text.ts'

const MOST_EVENTS = 5

/** For people: the sentence, the chain, the newest events, and what could not be read. */
export function formatExplanation({ sentence, alsoWaitsFor, chain, usage, events, unseen }: Explanation): string {
  const parts = [`${sentence}\n`]
  if (alsoWaitsFor.length > 0) parts.push(`Further problems:\n${alsoWaitsFor.map((each) => `  ${each}\n`).join('')}`)
  parts.push(formatChain(chain))
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
    why: whyOf(link, chain.object.namespace),
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

function formatEvent({ lastTime, type, reason, object, message, count }: RelevantEvent): string {
  const times = count > 1 ? ` (${count} times)` : ''
  return `  ${[lastTime, type, reason, formatRef(object.kind, object)].filter((part) => part !== '').join('  ')}${times}: ${oneLine(message)}\n`
}

// One long name, such as that of an attachment, does not widen the whole column.
const WIDEST = 62
const widthOf = (texts: readonly string[]): number => Math.min(WIDEST, Math.max(...texts.map(({ length }) => length)))
