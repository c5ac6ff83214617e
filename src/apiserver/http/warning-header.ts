const MOST_BYTES = 4096
const LONGEST_TEXT = 1024

/**
 * Values of the `Warning` header, as kubectl prints them: each once, and together no longer than clients accept. Text beyond
 * ASCII goes as UTF-8, which a header carries as single bytes.
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

// A line end would begin another header.
const clean = (text: string): string =>
  text
    .slice(0, LONGEST_TEXT)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
