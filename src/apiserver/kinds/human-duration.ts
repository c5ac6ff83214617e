import { findTimestamp } from '../../api/timestamps.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

/** A duration as `kubectl get` shows ages: two units while the second one matters, then one. Allows for a clock that is a second ahead. */
export function formatHumanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (ms < 2 * MINUTE) return `${seconds}s`
  if (ms < 10 * MINUTE) return twoUnits(ms, MINUTE, 'm', SECOND, 's')
  if (ms < 3 * HOUR) return `${Math.trunc(ms / MINUTE)}m`
  if (ms < 8 * HOUR) return twoUnits(ms, HOUR, 'h', MINUTE, 'm')
  if (ms < 2 * DAY) return `${Math.trunc(ms / HOUR)}h`
  if (ms < 8 * DAY) return twoUnits(ms, DAY, 'd', HOUR, 'h')
  if (ms < 2 * YEAR) return `${Math.trunc(ms / DAY)}d`
  if (ms < 8 * YEAR) return twoUnits(ms, YEAR, 'y', DAY, 'd')
  return `${Math.trunc(ms / YEAR)}y`
}

function twoUnits(ms: number, unit: number, name: string, smaller: number, smallerName: string): string {
  const rest = Math.trunc((ms % unit) / smaller)
  return `${Math.trunc(ms / unit)}${name}${rest === 0 ? '' : `${rest}${smallerName}`}`
}

/** How long ago a timestamp was, as a table shows it. */
export function formatAge(timestamp: string | null | undefined, nowMs: number): string {
  const thenMs = findTimestamp(timestamp)
  return thenMs === undefined ? '<unknown>' : formatHumanDuration(nowMs - thenMs)
}
