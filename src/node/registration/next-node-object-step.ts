import { isWrittenBy, LABEL_RECORD_ANNOTATION, noteLabels, parseLabelRecord } from './label-record.ts'
import { formatNodeIds, NODE_ID_ANNOTATION, parseNodeIds } from '../../storage/node-ids.ts'
import type { NodeFacts } from './node-facts.ts'
import { presentDrivers } from './publication-view.ts'
import type { PublicationView } from './publication-view.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'

export type NodeObjectStep =
  /** A merge patch of the metadata. `driver`: whose facts these are; none when something is only taken away. */
  | {
      readonly kind: 'patch'
      readonly driver?: string
      readonly annotations: Readonly<Record<string, string | null>>
      readonly labels: Readonly<Record<string, string>>
    }
  | { readonly kind: 'refuse'; readonly driver: string; readonly reason: RegistrationReason }
  | { readonly kind: 'done' }

/**
 * What to write to the Node: one driver at a time, so that a label which the server does not allow harms no other. Labels stay when a
 * driver goes: volumes still carry them.
 */
export function nextNodeObjectStep({ seen, held }: PublicationView): NodeObjectStep {
  if (!held) return { kind: 'done' }
  const { node } = seen
  const ids = parseNodeIds(node)
  for (const [driver, facts] of presentDrivers(held.wanted)) {
    const isPublished = held.published.has(driver)
    const collision = isPublished ? undefined : findCollision(seen, held, driver, facts)
    if (collision) return { kind: 'refuse', driver, reason: collision }
    if (!ids && !isPublished)
      return { kind: 'refuse', driver, reason: REASONS.annotationMalformed(node.metadata.name ?? '', driver) }
    const labels = missingLabels(seen, facts, isPublished)
    const idChange =
      ids && ids.get(driver) !== facts.nodeId
        ? { [NODE_ID_ANNOTATION]: formatNodeIds(new Map(ids).set(driver, facts.nodeId)) }
        : {}
    // In the same write, and whatever the options say now: it can't be found out later who wrote a label.
    const record =
      Object.keys(labels).length > 0
        ? { [LABEL_RECORD_ANNOTATION]: JSON.stringify(noteLabels(parseLabelRecord(node), driver, labels)) }
        : {}
    if (Object.keys(labels).length > 0 || Object.keys(idChange).length > 0)
      return { kind: 'patch', driver, annotations: { ...idChange, ...record }, labels }
  }
  return ids ? nextRemoval(seen, held, ids) : { kind: 'done' }
}

type Seen = PublicationView['seen']
type Held = NonNullable<PublicationView['held']>

// The id goes last: the driver counts as registered until its entry in CSINode is gone.
function nextRemoval({ csiNode }: Seen, { wanted }: Held, ids: ReadonlyMap<string, string>): NodeObjectStep {
  const listed = new Set(csiNode?.spec.drivers?.map(({ name }) => name))
  const left = new Map(
    [...ids].filter(([driver]) => !(wanted.has(driver) && wanted.get(driver) === undefined && !listed.has(driver))),
  )
  return left.size === ids.size
    ? { kind: 'done' }
    : { kind: 'patch', annotations: { [NODE_ID_ANNOTATION]: formatNodeIds(left) }, labels: {} }
}

function findCollision(
  { node }: Seen,
  { overwriteOwnLabels }: Held,
  driver: string,
  { topology }: NodeFacts,
): RegistrationReason | undefined {
  const labels = node.metadata.labels ?? {}
  const record = overwriteOwnLabels ? parseLabelRecord(node) : {}
  for (const [key, reported] of Object.entries(topology)) {
    const present = Object.hasOwn(labels, key) ? labels[key] : undefined
    if (present === undefined || present === reported || isWrittenBy(record, driver, key, present)) continue
    return REASONS.labelCollision(driver, { key, present, reported })
  }
  return undefined
}

/** For a driver that was published, only labels that are gone: a value that others have changed since then stays. */
function missingLabels({ node }: Seen, { topology }: NodeFacts, isPublished: boolean): Record<string, string> {
  const labels = node.metadata.labels ?? {}
  const isWrong = (key: string, value: string): boolean =>
    Object.hasOwn(labels, key) ? !isPublished && labels[key] !== value : true
  return Object.fromEntries(Object.entries(topology).filter(([key, value]) => isWrong(key, value)))
}
