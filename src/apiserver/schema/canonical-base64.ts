const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/

/** Base64 in its one padded form; undefined if the text is not base64. Line ends between the digits are allowed, as in Go. */
export function canonicalBase64(text: string): string | undefined {
  const bytes = Buffer.from(text, 'base64')
  const canonical = bytes.toString('base64')
  if (canonical === text) return text
  // Node decodes leniently: without padding, with stray characters, in the URL alphabet.
  const digits = text.replaceAll(/[\r\n]/g, '')
  return digits.length % 4 === 0 && ALPHABET.test(digits) ? canonical : undefined
}
