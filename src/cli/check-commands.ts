import { formatQuantity } from '../base/quantity.ts'
import { formatDuration } from '../base/options/index.ts'
import type { CaseInfo } from '../check/case.ts'
import type { Clean, Repeat } from '../check/report/format-text.ts'
import { CHECK_DEFAULTS } from './check-options.ts'
import type { CheckConfig } from './check-options.ts'

/** The command that repeats one case, with every flag that says how to reach and use the driver. */
export const repeatWith =
  (endpoint: string, config: CheckConfig): Repeat =>
  (one: CaseInfo) =>
    `holdfast check ${quoted(endpoint)}${formatFlags([
      ...config.node.map((node): Flag => ['node', node]),
      ['params', config.params],
      ['mutable-params', config.mutableParams],
      ['snapshot-params', config.snapshotParams],
      ['secrets', config.secrets],
      ...Object.entries(config.topology).map(([key, value]): Flag => ['topology', `${key}=${value}`]),
      ['size', config.size === CHECK_DEFAULTS.size ? undefined : formatQuantity(config.size)],
      ['expand-size', config.expandSize === undefined ? undefined : formatQuantity(config.expandSize)],
      ['restart', config.restart],
      ['timeout', durationUnless(config.timeoutMs, CHECK_DEFAULTS.timeoutMs)],
      ['case-timeout', durationUnless(config.caseTimeoutMs, CHECK_DEFAULTS.caseTimeoutMs)],
      ['driver-log', config.driverLog],
      ['work', config.work],
    ])} --only=${one.id}`

/** The command that removes what a run left, with the flags that find its journal and let the driver delete. */
export const cleanWith =
  ({ secrets, work }: CheckConfig): Clean =>
  (run) =>
    `holdfast check --clean=${run}${formatFlags([
      ['secrets', secrets],
      ['work', work],
    ])}`

type Flag = readonly [name: string, value: string | undefined]

const formatFlags = (flags: readonly Flag[]): string =>
  flags.flatMap(([name, value]) => (value === undefined ? [] : [` --${name}=${quoted(value)}`])).join('')

const durationUnless = (ms: number, usualMs: number): string | undefined =>
  ms === usualMs ? undefined : formatDuration(ms)

const quoted = (value: string): string =>
  /^[\w./:=@,+-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`
