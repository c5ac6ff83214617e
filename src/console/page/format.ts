import type { Cell, ColumnKind, Tone } from '../protocol.ts'

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1]
  return `${value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

/** As kubectl writes an age: `5s`, `3m`, `2h`, `7d`. */
export function formatAge(sinceMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - sinceMs) / 1000))
  if (seconds < 120) return `${seconds}s`
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`
}

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

/** `12 %`, and `0.3 %` where that is the difference between nothing and something. */
export const formatShare = (percent: number): string =>
  `${percent < 10 && !Number.isInteger(percent) ? percent.toFixed(1) : Math.round(percent)} %`

/** `10,000`: the page is in English, whatever the language of the browser. */
export const formatCount = (count: number): string => {
  const [whole = '', fraction] = String(count).split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

export function formatCell(cell: Cell, kind: ColumnKind, nowMs: number): string {
  if (cell === null) return ''
  if (kind === 'bytes' && typeof cell === 'number') return formatBytes(cell)
  if (kind === 'share' && typeof cell === 'number') return formatShare(cell)
  if (kind === 'number' && typeof cell === 'number') return formatCount(cell)
  if (kind === 'time' && typeof cell === 'number') return formatAge(cell, nowMs)
  return String(cell)
}

export const TONE_WORDS: Readonly<Record<Tone, string>> = {
  good: 'ready',
  waiting: 'waiting',
  bad: 'problem',
  plain: '',
}
