import type { Readable } from 'node:stream'
import { ApiError } from '../../api/api-error.ts'
import { bodyTooLarge } from './refusals.ts'

/**
 * All bytes of a body. The stream is left open in any case: the answer goes the same way back, and what comes after the
 * limit is read and dropped, so that the client gets to see the refusal.
 */
export function collectBody(source: Readable, declaredLength: string | undefined, limitBytes: number): Promise<Uint8Array> {
  if (Number(declaredLength ?? 0) > limitBytes) {
    source.resume()
    return Promise.reject(bodyTooLarge(limitBytes))
  }
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
      letGo()
      const [only] = chunks
      resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks, length))
    }
    const onClose = (): void => {
      letGo()
      reject(new ApiError('BadRequest', 'the client went before the body of the request was complete'))
    }
    source.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}
