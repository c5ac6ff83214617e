const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/

/** As most fields have it, in whole seconds, without rounding up: `2030-01-01T00:00:00Z`. Throws a `RangeError` past the year 9999. */
export function formatTimestamp(ms: number): string {
  return `${formatSeconds(Math.floor(ms / 1000))}Z`
}

/** As leases and events have it, with six decimals: `2030-01-01T00:00:00.123000Z`. A fraction of a millisecond is kept. */
export function formatMicroTimestamp(ms: number): string {
  const micros = Math.round(ms * 1000)
  const seconds = Math.floor(micros / 1_000_000)
  const rest = micros - seconds * 1_000_000
  return `${formatSeconds(seconds)}.${rest.toString().padStart(6, '0')}Z`
}

function formatSeconds(seconds: number): string {
  const text = new Date(seconds * 1000).toISOString()
  if (text.length !== '2030-01-01T00:00:00.000Z'.length)
    throw new RangeError(`${text} has a year that RFC 3339 cannot write`)
  return text.slice(0, 19)
}

/** Milliseconds since 1970 of either form, with a fraction where there are microseconds: a number holds those until 2109. Throws a `RangeError`. */
export function parseTimestamp(text: string): number {
  const ms = findTimestamp(text)
  if (ms === undefined) throw new RangeError(`${JSON.stringify(text)} is not a time in RFC 3339`)
  return ms
}

/** As `parseTimestamp`, and undefined where the text is no time, or missing. */
export function findTimestamp(text: string | null | undefined): number | undefined {
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = RFC_3339.exec(text ?? '') ?? []
  if (year === undefined) return undefined
  const utc = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  // A day that does not exist is not the first of the next month.
  if (Number.isNaN(utc.getTime()) || utc.toISOString().slice(0, 19) !== text?.slice(0, 19)) return undefined
  const offset = offsetMs(zone)
  return offset === undefined ? undefined : utc.getTime() - offset + Number(`0.${fraction || '0'}`) * 1000
}

function offsetMs(zone: string): number | undefined {
  if (zone === 'Z') return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4))]
  if (hours > 24 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
