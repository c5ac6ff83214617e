import type { Api } from '../api/api.ts'
import { formatRef } from '../api/object-key.ts'
import type { ObjectRef } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { explain, findStuck, parseTarget } from '../explain/index.ts'
import type { Answer, Explanation } from '../explain/index.ts'

/**
 * Explains why a pod, claim, volume, attachment or snapshot is not ready, as `holdfast why` does. The object is written `pod/NAMESPACE/NAME`,
 * `pvc/NAMESPACE/NAME`, `vs/NAMESPACE/NAME`, `pv/NAME`, `va/NAME` or `vsc/NAME`; without a namespace, one in `default` is looked up. Rejects if
 * the object does not exist or cannot be read.
 */
export async function why(api: Api, object: string, options: { signal?: AbortSignal } = {}): Promise<Explanation> {
  const answer = await ask(api, object, options.signal)
  if (answer.kind === 'explained') return answer.explanation
  throw new Error(answer.kind === 'absent' ? `${object} does not exist` : `you are not allowed to read ${object}`)
}

async function ask(api: Api, object: string, signal = new AbortController().signal): Promise<Answer> {
  const words = object.split('/')
  const [namespace = 'default'] = words.length === 3 ? words.splice(1, 1) : []
  const target = parseTarget(words.join('/'))
  if (typeof target === 'string') throw new Error(target)
  return explain(target, { api, namespace, signal })
}

/** The error of a wait that took too long: what was awaited, and what `why` says about the object or, without one, about all that is waiting. */
export async function timedOut(
  api: Api,
  { what, limitMs, object }: { what: string; limitMs: number; object?: string },
): Promise<Error> {
  const sentences = await explainForError(api, object)
  return new Error([`timed out after ${limitMs / 1000} s waiting for: ${what}`, ...sentences].join('\n'))
}

async function explainForError(api: Api, object?: string): Promise<string[]> {
  try {
    if (object === undefined) return await explainAllWaiting(api)
    const answer = await ask(api, object)
    return answer.kind === 'explained' ? [answer.explanation.sentence] : [`${object} does not exist.`]
  } catch (error) {
    // The caller has to learn about the timeout, even if its cause can no longer be read.
    return [`The reason could not be determined: ${error instanceof Error ? error.message : String(error)}`]
  }
}

// More sentences than this would hide the first one.
const MOST_SENTENCES = 5

async function explainAllWaiting(api: Api): Promise<string[]> {
  const { groups } = await findStuck({ api, signal: new AbortController().signal })
  const sentences = groups.map(({ objects, sentence }) => objects.at(-1)?.sentence ?? sentence)
  const isMore = sentences.length > MOST_SENTENCES
  return [...sentences.slice(0, MOST_SENTENCES), ...(isMore ? ['More objects are not ready.'] : [])]
}

/** How `why` is asked about an object; empty for kinds that it does not explain. */
export const whyTarget = ({ kind }: ResourceType, ref: ObjectRef): { object?: string } =>
  typeof parseTarget(kind, ref.name) === 'string' ? {} : { object: formatRef(kind, ref) }
