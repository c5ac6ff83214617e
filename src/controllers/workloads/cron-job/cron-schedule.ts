import { parseDuration } from '../../../base/options/index.ts'
import { fieldsIn, instantsOf } from './zone-time.ts'

/** When the next run is due, strictly after a time. Undefined if the schedule never matches, such as on 31 February. */
export type CronSchedule = { next(afterMs: number): number | undefined }

type Field = { readonly values: ReadonlySet<number>; readonly isAny: boolean }
type Bounds = { readonly least: number; readonly most: number; readonly names?: readonly string[] }

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const BOUNDS: readonly Bounds[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: ['', ...MONTHS] },
  { least: 0, most: 6, names: DAYS },
]
const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}
const MOST_DAYS = 366 * 5
const DAY_MS = 86_400_000

/** Parses the five fields of a schedule, or a macro such as `@daily` or `@every 1h30m`. Throws an Error that says what is wrong. */
export function parseCronSchedule(text: string, timeZone: string): CronSchedule {
  const every = /^@every (.+)$/.exec(text)
  if (every) {
    const everyMs = Math.max(1000, Math.floor(parseDuration(every[1] ?? '') / 1000) * 1000)
    return { next: (afterMs) => Math.floor(afterMs / 1000) * 1000 + everyMs }
  }
  const parts = (MACROS[text] ?? text).trim().split(/\s+/)
  if (text.startsWith('@') && parts.length !== 5) throw new Error(`unrecognized descriptor: ${text}`)
  if (parts.length !== 5) throw new Error(`expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`)
  const [minutes, hours, days, months, weekdays] = parts.map((part, place) => parseField(part, BOUNDS[place] as Bounds))
  if (!minutes || !hours || !days || !months || !weekdays) throw new Error('expected exactly 5 fields')
  const matchesDay = (day: number, weekday: number): boolean => {
    const [byDay, byWeekday] = [days.values.has(day), weekdays.values.has(weekday)]
    // If both are restricted, one of them is enough.
    return days.isAny || weekdays.isAny ? byDay && byWeekday : byDay || byWeekday
  }
  const next = (afterMs: number): number | undefined => {
    const start = fieldsIn(timeZone, afterMs)
    const firstDay = Date.UTC(start.year, start.month - 1, start.day)
    for (let passed = 0; passed < MOST_DAYS; passed++) {
      const date = new Date(firstDay + passed * DAY_MS)
      if (!months.values.has(date.getUTCMonth() + 1) || !matchesDay(date.getUTCDate(), date.getUTCDay())) continue
      const times = Array.from(hours.values).flatMap((hour) =>
        Array.from(minutes.values).flatMap((minute) => instantsOf(timeZone, date, hour, minute)),
      )
      const due = times.filter((time) => time > afterMs)
      if (due.length > 0) return Math.min(...due)
    }
    return undefined
  }
  return { next }
}

function parseField(text: string, bounds: Bounds): Field {
  const ranges = text.split(',').map((range) => parseRange(range, bounds))
  return {
    values: new Set(ranges.flatMap(({ values }) => values)),
    isAny: ranges.some(({ isAny }) => isAny),
  }
}

function parseRange(text: string, bounds: Bounds): { values: number[]; isAny: boolean } {
  const [range = '', stepText, ...more] = text.split('/')
  if (more.length > 0) throw new Error(`too many slashes: ${text}`)
  const isAny = range === '*' || range === '?'
  const [first = '', last, ...rest] = range.split('-')
  if (rest.length > 0) throw new Error(`too many hyphens: ${text}`)
  const start = isAny ? bounds.least : parseValue(first, bounds)
  const single = stepText === undefined ? start : bounds.most
  const end = isAny ? bounds.most : last === undefined ? single : parseValue(last, bounds)
  const step = stepText === undefined ? 1 : parseValue(stepText, { least: 0, most: 0 })
  if (start < bounds.least) throw new Error(`beginning of range (${start}) below minimum (${bounds.least}): ${text}`)
  if (end > bounds.most) throw new Error(`end of range (${end}) above maximum (${bounds.most}): ${text}`)
  if (start > end) throw new Error(`beginning of range (${start}) beyond end of range (${end}): ${text}`)
  if (step === 0) throw new Error(`step of range should be a positive number: ${text}`)
  const values: number[] = []
  for (let value = start; value <= end; value += step) values.push(value)
  return { values, isAny: isAny && step === 1 }
}

function parseValue(text: string, { names = [] }: Bounds): number {
  const named = text === '' ? -1 : names.indexOf(text.toLowerCase())
  if (named >= 0) return named
  if (!/^\d{1,4}$/.test(text)) throw new Error(`failed to parse int from ${text}`)
  return Number(text)
}
