const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/

/** Base64 in its one padded form; undefined for what is none. Line ends between the digits are allowed, as Go allows them. */
export function canonicalBase64(text: string): string | undefined {
  const bytes = Buffer.from(text, 'base64')
  const canonical = bytes.toString('base64')
  if (canonical === text) return text
  // Node reads leniently: without padding, with stray characters, in the URL's alphabet.
  const digits = text.replaceAll(/[\r\n]/g, '')
  return digits.length % 4 === 0 && ALPHABET.test(digits) ? canonical : undefined
}
