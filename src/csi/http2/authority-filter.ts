import { needsAuthorityRepair, repairAuthorityField } from './authority-repair.ts'
import {
  CLIENT_PREFACE,
  FLAG,
  FRAME_HEADER_BYTES,
  FRAME_TYPE,
  formatHeaderFrames,
  headerFragment,
  parseFrameHeader,
} from './frames.ts'
import type { FrameHeader } from './frames.ts'
import { createHpackDecoder } from './hpack-decoder.ts'
import { encodeHeaderBlock } from './hpack-encoder.ts'
import { MalformedHttp2Error } from './malformed-http2-error.ts'

/** Limits of a buffered header block: its size in bytes, and its number of frames. */
export const MAX_BLOCK_BYTES = 1024 * 1024
export const MAX_BLOCK_FRAMES = 128

type Mode =
  | 'inspecting' // until the first header block is complete; all bytes pass unchanged, that block with a delay
  | 'rewriting' // every header block is decoded and encoded again
  | 'transparent' // nothing is inspected any more

type Reading =
  | { kind: 'preface'; matched: number }
  | { kind: 'frame-header' }
  | { kind: 'header-payload'; frame: FrameHeader; head: Buffer }
  | { kind: 'other-payload'; left: number }

// A header block whose last frame has not arrived yet.
type OpenBlock = {
  streamId: number
  flags: number
  priority: Buffer
  fragments: Buffer[]
  frames: number
  bytes: number
  raw: Buffer[]
}

export type RepairOptions = {
  /** Adds the replaced `:authority` as the header field `ORIGINAL_AUTHORITY`. Default false. */
  readonly keepOriginal?: boolean
}

/**
 * The bytes from one HTTP/2 client to the server, without I/O. The first request decides: if the server accepts its `:authority`, nothing is ever
 * changed; otherwise every request of this connection is repaired.
 */
export class AuthorityFilter {
  readonly #options: RepairOptions
  readonly #decoder = createHpackDecoder()
  readonly #pieces = new PieceReader()
  #mode: Mode = 'inspecting'
  #reading: Reading = { kind: 'preface', matched: 0 }
  #block: OpenBlock | undefined

  constructor(options: RepairOptions = {}) {
    this.#options = options
  }

  /** Once true, all further data passes unchanged, and `feed` need not be called. */
  get transparent(): boolean {
    return this.#mode === 'transparent'
  }

  /**
   * The bytes to pass on, perhaps none yet. As long as nothing was rewritten, malformed bytes pass unchanged for the server to judge; after that they
   * throw MalformedHttp2Error, because server and client no longer share a header table.
   */
  feed(chunk: Buffer): Buffer[] {
    const out: Buffer[] = []
    let rest = chunk
    while (rest.length > 0 && this.#mode !== 'transparent') rest = this.#step(rest, out)
    if (rest.length > 0) out.push(rest)
    return out
  }

  // Consumes a non-empty prefix of the bytes and returns the rest.
  #step(bytes: Buffer, out: Buffer[]): Buffer {
    const reading = this.#reading
    if (reading.kind === 'preface') return this.#readPreface(reading.matched, bytes, out)
    if (reading.kind === 'other-payload') return this.#passPayload(reading.left, bytes, out)
    const { piece, rest } = this.#pieces.read(
      bytes,
      reading.kind === 'frame-header' ? FRAME_HEADER_BYTES : reading.frame.length,
    )
    if (!piece) return rest
    if (reading.kind === 'frame-header') this.#onFrameHeader(piece, out)
    else this.#onHeaderPayload(reading.frame, reading.head, piece, out)
    return rest
  }

  #readPreface(matched: number, bytes: Buffer, out: Buffer[]): Buffer {
    const head = bytes.subarray(0, CLIENT_PREFACE.length - matched)
    const end = matched + head.length
    out.push(head)
    if (!head.equals(CLIENT_PREFACE.subarray(matched, end))) this.#mode = 'transparent'
    this.#reading = end < CLIENT_PREFACE.length ? { kind: 'preface', matched: end } : { kind: 'frame-header' }
    return bytes.subarray(head.length)
  }

  #passPayload(left: number, bytes: Buffer, out: Buffer[]): Buffer {
    const head = bytes.subarray(0, left)
    out.push(head)
    this.#expectPayload(left - head.length)
    return bytes.subarray(head.length)
  }

  #expectPayload(left: number): void {
    this.#reading = left > 0 ? { kind: 'other-payload', left } : { kind: 'frame-header' }
  }

  #onFrameHeader(head: Buffer, out: Buffer[]): void {
    const frame = parseFrameHeader(head)
    const isHeaderFrame = frame.type === FRAME_TYPE.headers || frame.type === FRAME_TYPE.continuation
    if (!this.#block && !isHeaderFrame) {
      out.push(head)
      this.#expectPayload(frame.length)
      return
    }
    const problem = problemWith(frame, this.#block)
    if (problem) this.#giveUp(new MalformedHttp2Error(problem), [head], out)
    else if (frame.length === 0) this.#onHeaderPayload(frame, head, Buffer.alloc(0), out)
    else this.#reading = { kind: 'header-payload', frame, head }
  }

  #onHeaderPayload(frame: FrameHeader, head: Buffer, payload: Buffer, out: Buffer[]): void {
    this.#reading = { kind: 'frame-header' }
    try {
      const { priority, fragment } = headerFragment(frame, payload)
      const { streamId, flags } = frame
      const block = (this.#block ??= { streamId, flags, priority, fragments: [], frames: 0, bytes: 0, raw: [] })
      block.fragments.push(fragment)
      block.frames++
      block.bytes += frame.length
      if (frame.flags & FLAG.endHeaders) this.#onBlock(block, [head, payload], out)
      else if (this.#mode === 'inspecting') block.raw.push(head, payload)
    } catch (error) {
      if (!(error instanceof MalformedHttp2Error)) throw error
      this.#giveUp(error, [head, payload], out)
    }
  }

  #onBlock(block: OpenBlock, lastFrame: Buffer[], out: Buffer[]): void {
    const { tableSizes, fields } = this.#decoder.decode(Buffer.concat(block.fragments))
    this.#block = undefined
    if (this.#mode === 'inspecting') {
      if (!needsAuthorityRepair(fields)) {
        this.#mode = 'transparent'
        out.push(...block.raw, ...lastFrame)
        return
      }
      this.#mode = 'rewriting'
    }
    const encoded = encodeHeaderBlock({ tableSizes, fields: repairAuthorityField(fields, this.#options) })
    const endStream = (block.flags & FLAG.endStream) !== 0
    out.push(...formatHeaderFrames({ streamId: block.streamId, endStream, priority: block.priority, block: encoded }))
  }

  #giveUp(error: MalformedHttp2Error, held: Buffer[], out: Buffer[]): void {
    if (this.#mode === 'rewriting') throw error
    this.#mode = 'transparent'
    out.push(...(this.#block?.raw ?? []), ...held)
    this.#block = undefined
  }
}

function problemWith(frame: FrameHeader, block: OpenBlock | undefined): string | undefined {
  if (block && (frame.type !== FRAME_TYPE.continuation || frame.streamId !== block.streamId))
    return 'header block is interrupted'
  if (!block && frame.type === FRAME_TYPE.continuation) return 'CONTINUATION without HEADERS'
  if ((block?.bytes ?? 0) + frame.length > MAX_BLOCK_BYTES)
    return `header block is larger than ${MAX_BLOCK_BYTES} bytes`
  if ((block?.frames ?? 0) + 1 > MAX_BLOCK_FRAMES) return `header block has more than ${MAX_BLOCK_FRAMES} frames`
  return undefined
}

/** Cuts pieces of a known size out of chunks of any size; copies only pieces that span chunks. */
class PieceReader {
  #partial: Buffer | undefined
  #filled = 0

  read(bytes: Buffer, size: number): { piece?: Buffer; rest: Buffer } {
    if (!this.#partial && bytes.length >= size) return { piece: bytes.subarray(0, size), rest: bytes.subarray(size) }
    const partial = (this.#partial ??= Buffer.allocUnsafe(size))
    const copied = bytes.copy(partial, this.#filled)
    this.#filled += copied
    const rest = bytes.subarray(copied)
    if (this.#filled < size) return { rest }
    this.#partial = undefined
    this.#filled = 0
    return { piece: partial, rest }
  }
}
