import type { StepReport, ToldHappening } from './demo-step.ts'

/** One step for people: what it shows, what happened, what was checked. */
export function formatStep(
  { name, shows, requirements, outcome, tookMs, happenings, checks, problem }: StepReport,
  number: number,
): string {
  const title = `${number}. ${name}: ${shows}`
  if (outcome === 'not tried') return `${title}\n   not tried\n\n`
  const shown = requirements.length === 0 ? '' : ` (${requirements.join(', ')})`
  return [
    title,
    ...happenings.map(formatHappening),
    ...checks.map(({ says, held }) => `   ${held ? 'true ' : 'FALSE'}  ${says}`),
    ...(problem === undefined ? [] : [`   problem: ${problem}`]),
    `   ${outcome === 'held' ? 'held' : 'FAILED'}, ${formatMs(tookMs)}${shown}`,
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
  const lines = members.map(([member, value]) => formatMember(member, value))
  return [`${when}${rpc}, by ${by}, ${code === 'OK' ? '' : `${code}, `}${formatMs(tookMs)}`, ...lines].join('\n')
}

// The same in almost every call; the report as data has all.
const UNINTERESTING = new Set(['volume_capability', 'volume_capabilities', 'publish_context', 'staging_target_path'])
const HASH = /(?<=\b(?:csi-)?[0-9a-f]{8})[0-9a-f]{56}\b/g

const shorten = (line: string): string => line.replaceAll(HASH, '…')

/** A map with more than a few entries has a line for each. */
function formatMember(member: string, value: unknown): string {
  const parts = isMap(value) ? Object.entries(value).map(formatEntry) : [formatValue(value)]
  const lines =
    parts.length > 2 ? ['', ...parts.map((part) => `${INDENT}    ${part}`)].join('\n') : ` ${parts.join(', ')}`
  return shorten(`${INDENT}  ${member}:${lines}`)
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatValue).join(' or ')
  return isMap(value) ? Object.entries(value).map(formatEntry).join(', ') : String(value)
}

function formatEntry([key, value]: [string, unknown]): string {
  // Of a place only what it is matters.
  if (key === 'segments') return formatValue(value)
  return isMap(value) || Array.isArray(value) ? `${key} ${formatValue(value)}` : `${key}=${String(value)}`
}

/** The last line. */
export function formatEnd(reports: readonly StepReport[], tookMs: number): string {
  const held = reports.filter(({ outcome }) => outcome === 'held').length
  const failed = reports.find(({ outcome }) => outcome === 'failed')
  const end = failed ? `${failed.name} did not hold; ${held} of ${reports.length} steps did` : `all ${held} steps held`
  return `${end}, ${formatMs(tookMs)} in all\n`
}

const formatMs = (ms: number): string => (ms < 9999.5 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)
