/** Names are in lower case; values of a repeated header are joined with a comma. */
export type ResponseHeaders = Readonly<Record<string, string>>

/** Receives the parts of one response after another. */
export type ResponseReceiver = {
  head(status: number, headers: ResponseHeaders): void
  data(chunk: Buffer): void
  /** `canReuse`: whether the connection can carry another request. */
  end(canReuse: boolean): void
}

export interface ResponseParser {
  /** Throws if the bytes are not a response; the connection is useless then. */
  push(chunk: Buffer): void
  /** Call when the server has closed the connection. Returns whether that ended a response properly. */
  close(): boolean
  /** Call before each request: tells whether the response has no body whatever its headers say. */
  expect(isHead: boolean): void
}

type State = 'idle' | 'head' | 'length' | 'until-close' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers'

// A server that never ends its headers must not fill our memory.
const LONGEST_HEAD = 256 * 1024
const HEAD_END = '\r\n\r\n'
const LINE_END = '\r\n'
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/
const WHOLE_NUMBER = /^\d{1,15}$/
const CHUNK_SIZE = /^([0-9a-f]{1,13})[ \t]*(?:;|$)/i
const EMPTY = Buffer.alloc(0)

/** Parses the responses of a connection over HTTP/1.1. */
export function createResponseParser(receiver: ResponseReceiver): ResponseParser {
  let state: State = 'idle'
  // Of a head or a line whose end has not arrived.
  let pending = EMPTY
  let left = 0
  let canReuse = true
  let isHead = false

  const finish = (): void => {
    state = 'idle'
    receiver.end(canReuse)
  }
  /** The text up to `end`, and where the next part begins. Undefined until all of it has arrived. */
  const take = (chunk: Buffer, from: number, end: string): { text: string; next: number } | undefined => {
    const rest = pending.length === 0 ? chunk : Buffer.concat([pending, chunk.subarray(from)])
    const start = pending.length === 0 ? from : 0
    const at = rest.indexOf(end, start, 'latin1')
    if (at < 0) {
      if (rest.length - start > LONGEST_HEAD) throw new Error('the headers of the answer are too long')
      // Copied, because the buffer of a chunk is larger than the chunk.
      pending = Buffer.from(rest.subarray(start))
      return undefined
    }
    const next = pending.length === 0 ? at + end.length : from + at + end.length - pending.length
    pending = EMPTY
    return { text: rest.toString('latin1', start, at), next }
  }
  const startBody = (text: string): void => {
    const { status, headers, isOld } = parseHead(text)
    if (status < 200) return
    const { 'transfer-encoding': encoding, 'content-length': length, connection = '' } = headers
    canReuse = isOld ? /\bkeep-alive\b/i.test(connection) : connection === '' || !/\bclose\b/i.test(connection)
    receiver.head(status, headers)
    if (isHead || status === 204 || status === 304) return finish()
    if (encoding !== undefined) {
      if (!/^chunked$/i.test(encoding)) throw new Error('the answer has an unknown transfer encoding')
      // Two lengths that may differ: nothing after this answer can be trusted.
      if (length !== undefined) canReuse = false
      state = 'chunk-size'
    } else if (length === undefined) {
      canReuse = false
      state = 'until-close'
    } else {
      if (!WHOLE_NUMBER.test(length)) throw new Error('the answer has an invalid length')
      left = Number(length)
      state = 'length'
      if (left === 0) finish()
    }
  }
  const startChunk = (line: string): void => {
    const [, size] = CHUNK_SIZE.exec(line) ?? []
    if (size === undefined) throw new Error('the answer has an invalid chunk')
    left = Number.parseInt(size, 16)
    state = left === 0 ? 'trailers' : 'chunk'
  }
  /** Reads one part that begins at `from`, and returns where the next one begins; undefined if the rest has to arrive first. */
  const step = (chunk: Buffer, from: number): number | undefined => {
    switch (state) {
      case 'idle':
        throw new Error('the server answered without being asked')
      case 'until-close':
        receiver.data(from === 0 ? chunk : chunk.subarray(from))
        return chunk.length
      case 'length':
      case 'chunk': {
        const to = Math.min(chunk.length, from + left)
        left -= to - from
        receiver.data(from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to))
        if (left === 0) {
          if (state === 'length') finish()
          else state = 'chunk-end'
        }
        return to
      }
      case 'head': {
        const head = take(chunk, from, HEAD_END)
        if (head) startBody(head.text)
        return head?.next
      }
      default: {
        const line = take(chunk, from, LINE_END)
        if (!line) return undefined
        if (state === 'chunk-size') startChunk(line.text)
        else if (state === 'chunk-end') {
          if (line.text !== '') throw new Error('the answer has an invalid chunk')
          state = 'chunk-size'
        } else if (line.text === '') finish()
        return line.next
      }
    }
  }
  return {
    push: (chunk) => {
      for (let at: number | undefined = 0; at !== undefined && at < chunk.length;) at = step(chunk, at)
    },
    close: () => {
      if (state !== 'until-close') return false
      finish()
      return true
    },
    expect: (withoutBody) => {
      state = 'head'
      isHead = withoutBody
    },
  }
}

function parseHead(text: string): { status: number; headers: ResponseHeaders; isOld: boolean } {
  const firstEnd = text.indexOf(LINE_END)
  const [, minor, status] = STATUS_LINE.exec(firstEnd < 0 ? text : text.slice(0, firstEnd)) ?? []
  if (status === undefined) throw new Error('the answer is not HTTP/1.1')
  const headers: Record<string, string> = Object.create(null) as Record<string, string>
  for (let start = firstEnd; start >= 0;) {
    const next = text.indexOf(LINE_END, start + 2)
    const line = text.slice(start + 2, next < 0 ? undefined : next)
    const colon = line.indexOf(':')
    // A name with a space, or a line that continues the last one, is how two parsers are made to disagree.
    if (colon <= 0 || /[ \t]/.test(line.slice(0, colon))) throw new Error('the answer has an invalid header')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    const present = headers[name]
    headers[name] = present === undefined ? value : `${present}, ${value}`
    start = next
  }
  return { status: Number(status), headers, isOld: minor === '0' }
}
