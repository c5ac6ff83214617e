import type { Api } from '../api/api.ts'
import { formatRef } from '../api/object-key.ts'
import { createClusterReader } from './cluster-reader.ts'
import { explainObject } from './explain.ts'
import type { Link, ObjectId } from './explanation.ts'
import { allOf, findCandidates } from './find-candidates.ts'
import { formatSentence } from './format-sentence.ts'
import { pathToCause } from './links.ts'
import type { WhyReason } from './why-reason.ts'

/** Objects that are waiting for the same thing. */
export type StuckGroup = {
  /** The sentence about the object nearest to the cause. */
  readonly sentence: string
  readonly cause?: WhyReason
  /** The object nearest to the cause first. */
  readonly objects: readonly StuckObject[]
}

export type StuckObject = { readonly object: ObjectId; readonly state: string; readonly sentence: string }

export type Stuck = {
  /** The largest group first. */
  readonly groups: readonly StuckGroup[]
  /** What could not be read, and why: something stuck may be missing here. */
  readonly unseen: readonly string[]
}

/** With more waiting objects than this, the first ones are explained and the answer says so. */
export const MOST_EXPLAINED = 500

/** Every pod, claim, volume, attachment, snapshot, group snapshot and workload that is waiting, grouped by cause. `namespace` restricts it to one; default all. */
export async function findStuck({
  api,
  namespace,
  signal,
  nowMs,
}: {
  readonly api: Api
  readonly namespace?: string | undefined
  readonly signal: AbortSignal
  /** The time of the question. Absent: expired leases are not noticed. */
  readonly nowMs?: number
}): Promise<Stuck> {
  const reader = createClusterReader(api, signal, nowMs)
  const candidates = allOf(await findCandidates(reader, namespace))
  const explained: Waiting[] = []
  for (const object of candidates.slice(0, MOST_EXPLAINED)) {
    const chain = await explainObject(object, reader)
    const path = pathToCause(chain)
    const cause = path.at(-1)
    if (cause) explained.push({ chain, cause, distance: path.length })
  }
  const groups = Map.groupBy(explained, ({ cause }) => groupKeyOf(cause))
  const left = candidates.length - MOST_EXPLAINED
  return {
    groups: [...groups.values()].map(toGroup).sort((one, other) => other.objects.length - one.objects.length),
    unseen: [
      ...reader.unseen(),
      ...(left > 0 ? [`${left} more objects are waiting: only ${MOST_EXPLAINED} were explained`] : []),
    ],
  }
}

type Waiting = {
  readonly chain: Link
  readonly cause: Link
  readonly distance: number
}

// The same object with another code is another problem: a class that does not exist is not a class without a provisioner.
const groupKeyOf = ({ object, reason }: Link): string => `${formatRef(object.kind, object)} ${reason?.code ?? ''}`

function toGroup(waiting: readonly Waiting[]): StuckGroup {
  const [nearest, ...others] = [...waiting].sort((one, other) => one.distance - other.distance)
  const reason = nearest?.cause.reason
  return {
    sentence: nearest ? formatSentence(nearest.chain) : '',
    ...(reason ? { cause: reason } : {}),
    objects: [nearest, ...others].flatMap((each) =>
      each ? [{ object: each.chain.object, state: each.chain.state, sentence: formatSentence(each.chain) }] : [],
    ),
  }
}
