import type { HeaderField } from './header-block.ts'

/** The name a server on a unix socket gets to see instead of one that it would refuse. */
export const REPAIRED_AUTHORITY = 'localhost'

// The bytes nghttp2 lets through: those of RFC 3986 for a host and a port, percent signs unchecked, without user information.
const ACCEPTABLE = /^[\w!$%&'()*+,\-.:;=[\]~]+$/

/**
 * Whether nghttp2 would refuse these header fields for the name of the server they ask for: an odd `:authority`, or none and
 * no usable `host` either. Trailers never need it.
 */
export function needsAuthorityRepair(fields: readonly HeaderField[]): boolean {
  if (!isRequest(fields)) return false
  const authorities = fields.filter(isAuthority)
  return authorities.length > 0
    ? authorities.some(isOdd)
    : !fields.some((field) => field.name === 'host' && !isOdd(field))
}

/** The same fields with an `:authority` that nghttp2 accepts; one that it accepts already is kept. */
export function repairAuthorityField(fields: readonly HeaderField[]): HeaderField[] {
  if (!needsAuthorityRepair(fields)) return [...fields]
  // Pseudo header fields come before all others.
  if (!fields.some(isAuthority))
    return [{ name: ':authority', value: REPAIRED_AUTHORITY, neverIndexed: false }, ...fields]
  return fields.map((field) => (isAuthority(field) && isOdd(field) ? { ...field, value: REPAIRED_AUTHORITY } : field))
}

const isRequest = (fields: readonly HeaderField[]): boolean => fields.some(({ name }) => name === ':method')
const isAuthority = ({ name }: HeaderField): boolean => name === ':authority'
const isOdd = ({ value }: HeaderField): boolean => !ACCEPTABLE.test(value)
