import type { Api } from '../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../api/kinds/pod.ts'
import { VOLUME_SNAPSHOTS } from '../api/kinds/volume-snapshot.ts'
import { formatRef, refOf } from '../api/object-key.ts'
import type { ObjectRef } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { explain, parseTarget } from '../explain/index.ts'
import type { Answer, Explanation, Link } from '../explain/index.ts'

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
  const sentences: string[] = []
  // The sentence about an object covers the others in its chain.
  const covered = new Set<string>()
  const types: readonly ResourceType[] = [PODS, PERSISTENT_VOLUME_CLAIMS, VOLUME_SNAPSHOTS]
  for (const type of types) {
    for (const object of (await api.list(type)).items) {
      const id = formatRef(type.kind, refOf(object))
      if (covered.has(id)) continue
      if (sentences.length === MOST_SENTENCES) return [...sentences, 'More objects are not ready.']
      const { isReady, sentence, chain } = await why(api, id)
      if (isReady) continue
      sentences.push(sentence)
      for (const { kind, ...ref } of objectsOf(chain)) covered.add(formatRef(kind, ref))
    }
  }
  return sentences
}

const objectsOf = ({ object, dependsOn }: Link): Link['object'][] => [object, ...dependsOn.flatMap(objectsOf)]

/** How `why` is asked about an object; empty for kinds that it does not explain. */
export const whyTarget = ({ kind }: ResourceType, ref: ObjectRef): { object?: string } =>
  typeof parseTarget(kind, ref.name) === 'string' ? {} : { object: formatRef(kind, ref) }
