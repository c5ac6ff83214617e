import { createHash } from 'node:crypto'
import type { Answer } from './answer.ts'

/** A document that stays the same until the kinds change. */
export type CachedDocument = { readonly body: string | Uint8Array; readonly contentType: string; readonly hash: string }

export const createDocument = (contentType: string, body: string | Uint8Array): CachedDocument => ({
  body,
  contentType,
  hash: createHash('sha256').update(body).digest('hex').toUpperCase(),
})

/** The document, or 304 if the client already has it. */
export function answerDocument(
  { body, contentType, hash }: CachedDocument,
  ifNoneMatch: string | undefined,
  headers: Record<string, string> = {},
): Answer {
  const etag = `"${hash}"`
  const all = { ...headers, etag, vary: 'Accept' }
  const isKnown = ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false
  return isKnown ? { status: 304, headers: all } : { status: 200, contentType, headers: all, body }
}
