import type { HeaderField } from './header-block.ts'

/** The name that a server on a unix socket gets instead of one that it would reject. */
export const REPAIRED_AUTHORITY = 'localhost'

// The characters that nghttp2 accepts: those of RFC 3986 for a host and a port, without user information; percent signs are not checked.
const ACCEPTABLE = /^[\w!$%&'()*+,\-.:;=[\]~]+$/

/**
 * Whether nghttp2 would reject these header fields because of the server name: an invalid `:authority`, or neither `:authority` nor a usable `host`.
 * Trailers never need repair.
 */
export function needsAuthorityRepair(fields: readonly HeaderField[]): boolean {
  if (!isRequest(fields)) return false
  const authorities = fields.filter(isAuthority)
  return authorities.length > 0
    ? authorities.some(isOdd)
    : !fields.some((field) => field.name === 'host' && !isOdd(field))
}

/** The header field in which the original `:authority` of a repaired request is kept, for a proxy that passes it on. */
export const ORIGINAL_AUTHORITY = 'holdfast-original-authority'

/** The same fields with an `:authority` that nghttp2 accepts; a valid one is kept. `keepOriginal` adds the replaced one as `ORIGINAL_AUTHORITY`. */
export function repairAuthorityField(fields: readonly HeaderField[], { keepOriginal = false } = {}): HeaderField[] {
  if (!needsAuthorityRepair(fields)) return [...fields]
  // Pseudo-header fields come before all others.
  if (!fields.some(isAuthority))
    return [{ name: ':authority', value: REPAIRED_AUTHORITY, neverIndexed: false }, ...fields]
  const repaired = fields.map((field) =>
    isAuthority(field) && isOdd(field) ? { ...field, value: REPAIRED_AUTHORITY } : field,
  )
  const original = fields.find((field) => isAuthority(field) && isOdd(field))
  return keepOriginal && original ? [...repaired, { ...original, name: ORIGINAL_AUTHORITY }] : repaired
}

const isRequest = (fields: readonly HeaderField[]): boolean => fields.some(({ name }) => name === ':method')
const isAuthority = ({ name }: HeaderField): boolean => name === ':authority'
const isOdd = ({ value }: HeaderField): boolean => !ACCEPTABLE.test(value)
