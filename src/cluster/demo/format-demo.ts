import type { StepReport, ToldHappening } from './demo-step.ts'

/** One step for people: what it shows, what happened, what was checked. */
export function formatStep({ name, shows, requirements, outcome, tookMs, happenings, checks, problem }: StepReport, number: number): string {
  const title = `${number}. ${name}: ${shows}`
  if (outcome === 'not tried') return `${title}\n   not tried\n\n`
  return [
    title,
    ...happenings.map(formatHappening),
    ...checks.map(({ says, held }) => `   ${held ? 'true ' : 'FALSE'}  ${says}`),
    ...(problem === undefined ? [] : [`   problem: ${problem}`]),
    `   ${outcome === 'held' ? 'held' : 'FAILED'}, ${formatMs(tookMs)} (${requirements.join(', ')})`,
    '',
    '',
  ].join('\n')
}

const INDENT = ' '.repeat(14)

function formatHappening(happening: ToldHappening): string {
  const when = `   ${`+${formatMs(happening.afterMs)}`.padStart(9)}  `
  if (happening.kind === 'object') return shorten(`${when}${happening.object}: ${happening.state}`)
  const { rpc, by, request, code, tookMs } = happening
  const members = Object.entries(request).filter(([member]) => !UNINTERESTING.has(member))
  const lines = members.map(([member, value]) => shorten(`${INDENT}  ${member}: ${formatValue(value)}`))
  return [`${when}${rpc}, by ${by}, ${code === 'OK' ? '' : `${code}, `}${formatMs(tookMs)}`, ...lines].join('\n')
}

// The same in almost every call; the report as data has all.
const UNINTERESTING = new Set(['volume_capability', 'volume_capabilities', 'publish_context', 'staging_target_path'])
const HASH = /(?<=\b(?:csi-)?[0-9a-f]{8})[0-9a-f]{56}\b/g

const shorten = (line: string): string => line.replaceAll(HASH, '…')

function formatValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return value.map(formatValue).join(' or ')
  return Object.entries(value)
    .map(([key, inner]) => (typeof inner === 'object' ? `${key} ${formatValue(inner)}` : `${key}=${inner}`))
    .join(', ')
}

/** The last line. */
export function formatEnd(reports: readonly StepReport[], tookMs: number): string {
  const held = reports.filter(({ outcome }) => outcome === 'held').length
  const failed = reports.find(({ outcome }) => outcome === 'failed')
  const end = failed ? `${failed.name} did not hold; ${held} of ${reports.length} steps did` : `all ${held} steps held`
  return `${end}, ${formatMs(tookMs)} in all\n`
}

const formatMs = (ms: number): string => (ms < 9999.5 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)
