import { duration } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

export const healOptions = {
  timeoutMs: duration('15s', 'Timeout of each CSI call.', { minimum: '1s' }),
  retryMs: duration('1m', 'Interval between attempts to detach a volume.', { minimum: '1s' }),
} satisfies OptionTable

export type HealConfig = ConfigOf<typeof healOptions>
