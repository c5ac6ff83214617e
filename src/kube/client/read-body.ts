/** The whole body as text. */
export async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

// A server that never ends a line must not fill our memory.
const LONGEST_LINE = 64 * 1024 * 1024
const LINE_END = 0x0a

/** The lines of a body as they arrive, including an unterminated last line. */
export async function* readLines(
  body: AsyncIterable<Buffer>,
  longestBytes = LONGEST_LINE,
): AsyncGenerator<string, void> {
  // The start of a line whose end has not arrived. Joined as bytes, because a character may be split as well.
  let pending: Buffer[] = []
  let pendingBytes = 0
  for await (const chunk of body) {
    let start = 0
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, start)) {
      yield pendingBytes === 0
        ? chunk.toString('utf8', start, end)
        : Buffer.concat([...pending, chunk.subarray(start, end)]).toString()
      pending = []
      pendingBytes = 0
      start = end + 1
    }
    if (start < chunk.length) pending.push(chunk.subarray(start))
    pendingBytes += chunk.length - start
    if (pendingBytes > longestBytes) throw new Error(`the server sent a line of more than ${longestBytes} bytes`)
  }
  if (pendingBytes > 0) yield Buffer.concat(pending).toString()
}
