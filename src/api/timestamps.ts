const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/

/** The format of most fields, in whole seconds, rounded down: `2030-01-01T00:00:00Z`. Throws a `RangeError` past the year 9999. */
export function formatTimestamp(ms: number): string {
  return `${formatSeconds(Math.floor(ms / 1000))}Z`
}

/** The format of leases and events, with six decimals: `2030-01-01T00:00:00.123000Z`. Fractions of a millisecond are kept. */
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

/** Milliseconds since 1970 from either format, with a fraction for microseconds: a number represents those until 2109. Throws a `RangeError`. */
export function parseTimestamp(text: string): number {
  const ms = findTimestamp(text)
  if (ms === undefined) throw new RangeError(`${JSON.stringify(text)} is not a time in RFC 3339`)
  return ms
}

/** Like `parseTimestamp`, but undefined if the text is missing or not a time. */
export function findTimestamp(text: string | null | undefined): number | undefined {
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = RFC_3339.exec(text ?? '') ?? []
  if (year === undefined) return undefined
  const utc = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  // JavaScript reads 30 February as a day in March; compare the text to reject it.
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
