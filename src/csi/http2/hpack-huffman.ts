import { MalformedHttp2Error } from './malformed-http2-error.ts'

// RFC 7541 appendix B: the length in bits of each byte's code, as a base 36 digit, followed by that of the end-of-string symbol. The code is
// canonical (ordered by length, then by symbol), so the lengths determine every code.
const CODE_LENGTHS =
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca' +
  'd67777777777777777777777878djde6f56565666577666567655677777fbeds' +
  'kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn' +
  'qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq' +
  'u'
const END_OF_STRING = 256
const SHORTEST_CODE_BITS = 5

// A binary tree: entry `2 * node + bit` is the next node, or `~symbol` at the end of a code. The root is node 0.
const TREE = buildTree()

/** Decodes a Huffman coded string literal to a string with one character per byte. */
export function decodeHuffman(coded: Uint8Array): string {
  const decoded = Buffer.allocUnsafe(Math.floor((coded.length * 8) / SHORTEST_CODE_BITS))
  let size = 0
  let node = 0
  let unfinishedBits = 0
  let onlyOnes = true
  for (const byte of coded) {
    for (let shift = 7; shift >= 0; shift--) {
      const bit = (byte >> shift) & 1
      const next = TREE[2 * node + bit] ?? 0
      if (next >= 0) {
        node = next
        unfinishedBits++
        onlyOnes &&= bit === 1
        continue
      }
      if (~next === END_OF_STRING) throw new MalformedHttp2Error('Huffman code holds the end-of-string symbol')
      decoded[size++] = ~next
      node = 0
      unfinishedBits = 0
      onlyOnes = true
    }
  }
  // The rest must be padding: fewer than eight of the leading bits of the end-of-string code, which are all ones.
  if (unfinishedBits > 7 || !onlyOnes) throw new MalformedHttp2Error('Huffman code ends in wrong padding')
  return decoded.toString('latin1', 0, size)
}

function buildTree(): Int16Array {
  const lengths = Array.from(CODE_LENGTHS, (digit) => Number.parseInt(digit, 36))
  const symbols = lengths
    .map((bits, symbol) => ({ bits, symbol }))
    .sort((a, b) => a.bits - b.bits || a.symbol - b.symbol)
  const tree = new Int16Array(2 * (symbols.length - 1))
  let nodes = 1
  let code = 0
  let codeBits = 0
  for (const { bits, symbol } of symbols) {
    code <<= bits - codeBits
    codeBits = bits
    let node = 0
    for (let shift = bits - 1; shift > 0; shift--) {
      const branch = 2 * node + ((code >> shift) & 1)
      node = tree[branch] ||= nodes++
    }
    tree[2 * node + (code & 1)] = ~symbol
    code++
  }
  return tree
}
