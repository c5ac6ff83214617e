const MOST_BYTES = 4096
const LONGEST_TEXT = 1024

/**
 * Values of the `Warning` header, as kubectl prints them: without duplicates, and together no longer than clients accept. Text beyond ASCII is sent
 * as UTF-8, one byte per character of the header.
 */
export function formatWarnings(texts: readonly string[]): string[] {
  const values: string[] = []
  let bytes = 0
  for (const text of new Set(texts)) {
    const value = `299 - "${Buffer.from(clean(text)).toString('latin1').replaceAll(/["\\]/g, '\\$&')}"`
    bytes += value.length
    if (bytes > MOST_BYTES) break
    values.push(value)
  }
  return values
}

// A line break would start another header.
const clean = (text: string): string =>
  text
    .slice(0, LONGEST_TEXT)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
