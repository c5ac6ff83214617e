import type { Readable } from 'node:stream'

/** The whole body as text. */
export async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

// A server that never ends a line must not fill our memory.
const LONGEST_LINE = 64 * 1024 * 1024

/** The lines of a body as they arrive. What follows the last line end is a line too. */
export async function* readLines(body: Readable): AsyncGenerator<string, void> {
  let pending: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    let rest = chunk as Buffer
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      pending.push(rest.subarray(0, end))
      yield Buffer.concat(pending).toString()
      pending = []
      size = 0
      rest = rest.subarray(end + 1)
    }
    if (rest.length > 0) pending.push(rest)
    size += rest.length
    if (size > LONGEST_LINE) throw new Error(`the server sent a line of more than ${LONGEST_LINE} bytes`)
  }
  if (size > 0) yield Buffer.concat(pending).toString()
}
