import type { Readable } from 'node:stream'
import type { ApiError } from '../../api/api-error.ts'
import type { IdleTimeouts } from './idle-timeouts.ts'
import { bodyIncomplete, bodyStalled, bodyTooLarge, tooManyRequests } from './refusals.ts'

export type BodySource = {
  readonly stream: Readable
  /** The value of the header. */
  readonly declaredLength: string | undefined
  /**
   * Called when the stream has ended: whether the client ended it. An HTTP/2 stream that is reset ends like any other, and a truncated body must not
   * be taken as complete.
   */
  isWhole(): boolean
}

export type BodyLimits = {
  readonly limitBytes: number
  /** Counts stored bytes; false if there is no room for them. */
  hold(bytes: number): boolean
  /** Calls back if the body has not grown for too long. */
  readonly stalled: IdleTimeouts<() => void>
  readonly stalledBodyMs: number
}

/**
 * All bytes of a body. The stream is always left open: the response uses it too, and the rest of a rejected body is read and dropped, so that the
 * client gets the rejection.
 */
export function collectBody(
  { stream, declaredLength, isWhole }: BodySource,
  { limitBytes, hold, stalled, stalledBodyMs }: BodyLimits,
): Promise<Uint8Array> {
  if (Number(declaredLength ?? 0) > limitBytes) {
    stream.resume()
    return Promise.reject(bodyTooLarge(limitBytes))
  }
  // A destroyed stream emits no more events.
  if (stream.destroyed) return Promise.reject(bodyIncomplete())
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const letGo = (): void => {
      stalled.remove(onStalled)
      stream.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
    }
    const refuse = (error: ApiError): void => {
      letGo()
      stream.resume()
      reject(error)
    }
    const onData = (chunk: Uint8Array): void => {
      length += chunk.length
      if (length > limitBytes) return refuse(bodyTooLarge(limitBytes))
      if (!hold(chunk.length)) return refuse(tooManyRequests())
      stalled.touch(onStalled)
      chunks.push(chunk)
    }
    const onEnd = (): void => {
      if (!isWhole() || (declaredLength !== undefined && Number(declaredLength) !== length)) return onClose()
      letGo()
      const [only] = chunks
      resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks, length))
    }
    const onStalled = (): void => refuse(bodyStalled(stalledBodyMs))
    const onClose = (): void => refuse(bodyIncomplete())
    stalled.touch(onStalled)
    stream.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}
