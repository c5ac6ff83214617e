const ELLIPSIS = '…'

/** At most this many bytes of UTF-8, without incomplete characters, and with an ellipsis if something was cut off. */
export function cutText(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= mostBytes) return text
  let end = mostBytes - Buffer.byteLength(ELLIPSIS)
  // Back to the start of a character: all its other bytes begin with these two bits.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return `${bytes.toString('utf8', 0, end)}${ELLIPSIS}`
}
