import type { Difference, PlayedCall } from '../proxy/index.ts'

/** One line for a call, and one for each field that differs. */
export function formatPlayed(played: PlayedCall): string {
  const { call, rpc } = played
  const head = `${String(call.call).padStart(4)}  ${rpc}`
  switch (played.kind) {
    case 'same':
      return `${head}  same (${call.reply?.code ?? ''})\n`
    case 'skipped':
      return `${head}  skipped: ${played.why}\n`
    case 'different':
      return `${head}  DIFFERENT\n${played.differences.map(formatDifference).join('')}`
  }
}

const formatDifference = ({ field, recorded, actual }: Difference): string =>
  `        ${field}\n          recorded  ${formatValue(recorded)}\n          now       ${formatValue(actual)}\n`

const formatValue = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value))

/** The last line. */
export function formatVerdict(played: readonly PlayedCall[]): string {
  const count = (kind: PlayedCall['kind']): number => played.filter((each) => each.kind === kind).length
  const [same, different, skipped] = [count('same'), count('different'), count('skipped')]
  const verdict =
    different > 0 ? 'the driver answers differently' : same === 0 ? 'nothing was compared' : 'every answer is the same'
  return `${verdict}: ${same} same, ${different} different, ${skipped} skipped\n`
}
