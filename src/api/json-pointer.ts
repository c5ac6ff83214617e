/** The parts of an RFC 6901 pointer: `/metadata/labels/a~1b` → metadata, labels, a/b. Undefined if it is not a pointer. */
export function parseJsonPointer(pointer: string): string[] | undefined {
  if (pointer === '') return []
  if (!/^(?:\/(?:[^~/]|~[01])*)+$/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The pointer with these parts. */
export function formatJsonPointer(parts: readonly string[]): string {
  return parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
