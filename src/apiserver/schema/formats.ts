import { canonicalBase64 } from './canonical-base64.ts'
import { canonicalTime } from './canonical-time.ts'

const HEX = '[\\da-f]'
const uuid = (version: string, variant: string): RegExp =>
  new RegExp(`^${HEX}{8}-?${HEX}{4}-?${version}${HEX}{3}-?${variant}${HEX}{3}-?${HEX}{12}$`, 'i')
const UUID = uuid(HEX, HEX)
const UUID_3 = uuid('3', HEX)
const UUID_4 = uuid('4', '[89ab]')
const UUID_5 = uuid('5', '[89ab]')

const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = new RegExp(`^(?:${BYTE}\\.){3}${BYTE}$`)
const HOSTNAME = /^(?=.{1,253}$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i
const MAC = /^(?:[\da-f]{2}(?:[:-][\da-f]{2}){5,7}|[\da-f]{4}(?:\.[\da-f]{4}){2,3})$/i
const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/
const UNIT = '(?:[nuµμm]?s|[mhdw]|days?|hours?|hr|minutes?|mins?|seconds?|secs?|weeks?|nanos?|micros?|millis?)'
const DURATION = new RegExp(`^[+-]?(?:0|(?:(?:\\d+(?:\\.\\d*)?|\\.\\d+)\\s*${UNIT}\\s*)+)$`, 'i')

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  datetime: (text) => canonicalTime(text.toUpperCase(), 6) !== undefined,
  date: (text) => canonicalTime(`${text}T00:00:00Z`, 0) !== undefined && text.length === 10,
  byte: (text) => canonicalBase64(text) !== undefined,
  uuid: (text) => UUID.test(text),
  uuid3: (text) => UUID_3.test(text),
  uuid4: (text) => UUID_4.test(text),
  uuid5: (text) => UUID_5.test(text),
  ipv4: (text) => IPV4.test(text),
  ipv6: isIpv6,
  cidr: isCidr,
  hostname: (text) => HOSTNAME.test(text),
  mac: (text) => MAC.test(text),
  email: (text) => EMAIL.test(text),
  uri: (text) => text.startsWith('/') || URL.canParse(text),
  duration: (text) => DURATION.test(text),
}

/** Whether a string has a format of JSON schema. Unknown formats are not checked, as in Kubernetes. */
export function hasFormat(format: string, text: string): boolean {
  const check = FORMATS[format.replaceAll('-', '')]
  return check === undefined || check(text)
}

function isIpv6(text: string): boolean {
  if (!text.includes(':')) return false
  const [address = '', ...tail] = text.split('%')
  return tail.length === 0 && URL.canParse(`http://[${address}]/`)
}

function isCidr(text: string): boolean {
  const [address = '', length = '', ...rest] = text.split('/')
  if (rest.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(length)) return false
  return (IPV4.test(address) && Number(length) <= 32) || (isIpv6(address) && Number(length) <= 128)
}
