import type { Readable } from 'node:stream'
import { ApiError } from '../../api/api-error.ts'
import { bodyTooLarge } from './refusals.ts'

export type BodySource = {
  readonly stream: Readable
  /** As the header has it. */
  readonly declaredLength: string | undefined
  /**
   * Asked when the stream has ended: did the client end it? HTTP/2 streams that are reset end like others, and what was cut off
   * must not be taken for all that there was to say.
   */
  isWhole(): boolean
}

/**
 * All bytes of a body. The stream is left open in any case: the answer goes the same way back, and what comes after the
 * limit is read and dropped, so that the client gets to see the refusal.
 */
export function collectBody({ stream: source, declaredLength, isWhole }: BodySource, limitBytes: number): Promise<Uint8Array> {
  if (Number(declaredLength ?? 0) > limitBytes) {
    source.resume()
    return Promise.reject(bodyTooLarge(limitBytes))
  }
  // Nothing more is to be heard from a stream that is gone already.
  if (source.destroyed) return Promise.reject(incomplete())
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const letGo = (): void => {
      source.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
    }
    const onData = (chunk: Uint8Array): void => {
      length += chunk.length
      if (length <= limitBytes) return void chunks.push(chunk)
      letGo()
      source.resume()
      reject(bodyTooLarge(limitBytes))
    }
    const onEnd = (): void => {
      if (!isWhole() || (declaredLength !== undefined && Number(declaredLength) !== length)) return onClose()
      letGo()
      const [only] = chunks
      resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks, length))
    }
    const onClose = (): void => {
      letGo()
      reject(incomplete())
    }
    source.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}

const incomplete = (): ApiError => new ApiError('BadRequest', 'the client went before the body of the request was complete')
