// Local times of a time zone, which may exist twice or not at all when the clocks change.

export type LocalFields = {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
}

/** Whether the time zone is known: `Etc/UTC`, `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    return formatOf(name) !== undefined
  } catch {
    return false
  }
}

const formatOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })

export function fieldsIn(timeZone: string, ms: number): LocalFields & { readonly second: number } {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const of = (type: string): number => parts.get(type as Intl.DateTimeFormatPartTypes) ?? 0
  return {
    year: of('year'),
    month: of('month'),
    day: of('day'),
    hour: of('hour'),
    minute: of('minute'),
    second: of('second'),
  }
}

/** How far the local time is ahead of UTC. */
export function offsetMs(timeZone: string, ms: number): number {
  const { year, month, day, hour, minute, second } = fieldsIn(timeZone, ms)
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000
}

/** The instants at which the clocks show this time on this day: usually one, two or none when they change. */
export function instantsOf(timeZone: string, date: Date, hour: number, minute: number): readonly number[] {
  const local = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), hour, minute)
  if (timeZone === 'UTC') return [local]
  const DAY_MS = 86_400_000
  const offsets = new Set([offsetMs(timeZone, local - DAY_MS), offsetMs(timeZone, local + DAY_MS)])
  return Array.from(offsets, (offset) => local - offset).filter((ms) => ms + offsetMs(timeZone, ms) === local)
}
