const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const encoder = new TextEncoder()

/**
 * A hash for names, as Kubernetes has them: FNV-1 of 32 bits, in characters that form no words. The same text has the same hash there, so revisions
 * keep their names when another controller takes over.
 */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5
  for (const byte of encoder.encode(text)) {
    hash = Math.imul(hash, 0x01000193)
    hash = (hash ^ byte) >>> 0
  }
  return Array.from(String(hash), (digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('')
}
