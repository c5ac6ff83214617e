// Seconds and a time zone are required; a fraction of any length is optional.
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/**
 * A time as Kubernetes writes it: in UTC, in whole seconds (`digits` 0) or with six decimals; null for the zero time, undefined if the text is not a
 * time. Further digits are cut off.
 */
export function canonicalTime(text: string, digits: 0 | 6): string | null | undefined {
  const match = RFC_3339.exec(text)
  if (!match) return undefined
  const [
    ,
    yearText = '',
    monthText = '',
    dayText = '',
    hourText = '',
    minuteText = '',
    secondText = '',
    fraction = '',
    sign,
  ] = match
  const month = Number(monthText)
  const day = Number(dayText)
  if (month < 1 || month > 12 || day < 1 || day > daysOf(Number(yearText), month)) return undefined
  if (Number(hourText) > 23 || Number(minuteText) > 59 || Number(secondText) > 59) return undefined
  const tail = digits === 0 ? 'Z' : `.${fraction.slice(0, 6).padEnd(6, '0')}Z`
  const offset = sign === undefined ? 0 : offsetMinutes(sign, match[9] ?? '', match[10] ?? '')
  if (offset === undefined) return undefined
  const whole = offset === 0 ? text.slice(0, 19) : inUtc(text.slice(0, 19), offset)
  // Fractions that are not written still distinguish the first second of year one from the zero time.
  return whole === '0001-01-01T00:00:00' && /^0*$/.test(fraction) ? null : whole + tail
}

const daysOf = (year: number, month: number): number => {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && !isLeap ? 28 : (DAYS[month - 1] ?? 0)
}

function offsetMinutes(sign: string, hours: string, minutes: string): number | undefined {
  if (Number(hours) > 24 || Number(minutes) > 60) return undefined
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

function inUtc(local: string, offset: number): string {
  const shifted = new Date(Date.parse(`${local}Z`) - offset * 60_000).toISOString()
  return shifted.slice(0, shifted.lastIndexOf('.'))
}
