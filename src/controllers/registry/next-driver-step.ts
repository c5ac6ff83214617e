import { isEqualJson } from '../../api/equal-json.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { Reason } from '../../api/reason.ts'
import { chooseAlphaDriver } from '../../compat/choose-alpha-driver.ts'
import { isUntouchedDefault } from '../../storage/default-csi-driver.ts'
import type { DriverGates } from '../../api/driver-gates.ts'
import {
  createMirror,
  isMirror,
  mirroredAnnotations,
  mirroredFields,
  mirrorNameProblems,
} from '../../compat/mirror-csi-driver.ts'
import type { MirroredFields } from '../../compat/mirror-csi-driver.ts'
import type { AlphaCSIDriver } from '../../compat/alpha-csi-driver.ts'
import { REASONS } from './reasons.ts'

export type DriverView = {
  readonly seen: {
    readonly driver: string
    /** The registry's objects about the driver. */
    readonly claims: readonly AlphaCSIDriver[]
    /** Today's object of the driver's name, mirror or not. */
    readonly csiDriver: CSIDriver | undefined
    /** On how many nodes the driver is registered. */
    readonly nodes: number
  }
  readonly gates?: DriverGates
  /** Undefined when asked from outside. */
  readonly held?: {
    /** How long the number of nodes may not be written again. */
    readonly statusRestMs: number
    /** The server took no mirror of the object as it is now. */
    readonly refused: boolean
    /** How long a mirror of the object as it is now may not be changed again: somebody else may want it otherwise. */
    readonly mirrorRestMs: number
  }
}

export type DriverStep =
  | { readonly kind: 'wait'; readonly reason: Reason; readonly retryInMs?: number }
  | { readonly kind: 'create'; readonly original: AlphaCSIDriver; readonly mirror: CSIDriver }
  | { readonly kind: 'update'; readonly original: AlphaCSIDriver; readonly mirror: CSIDriver; readonly patch: object }
  /** Delete the mirror: its original is gone, or wants what can't be changed in it. Or delete the cluster's default. Then it is made anew. */
  | { readonly kind: 'remove'; readonly mirror: CSIDriver }
  | { readonly kind: 'count'; readonly original: AlphaCSIDriver; readonly nodes: number }

/** What to do about a driver: first its mirror, then the number of its nodes. An object that bears no mark is never touched. */
export function nextDriverStep(view: DriverView): DriverStep {
  const { driver, claims, csiDriver } = view.seen
  const { chosen } = chooseAlphaDriver(driver, claims)
  if (!chosen) {
    if (!csiDriver || !isMirror(csiDriver)) return { kind: 'wait', reason: REASONS.notDescribed }
    return csiDriver.metadata.deletionTimestamp
      ? { kind: 'wait', reason: REASONS.mirrorLeaving(driver) }
      : { kind: 'remove', mirror: csiDriver }
  }
  const mirrorStep = nextMirrorStep(view, chosen)
  return mirrorStep.kind === 'wait' ? nextCountStep(view, chosen, mirrorStep) : mirrorStep
}

function nextMirrorStep(
  { seen: { driver, csiDriver }, gates, held }: DriverView,
  original: AlphaCSIDriver,
): DriverStep {
  const [problem] = mirrorNameProblems(driver)
  if (problem !== undefined) return { kind: 'wait', reason: REASONS.nameNotPossible(driver, problem) }
  if (held?.refused) return { kind: 'wait', reason: REASONS.mirrorRefused }
  if (!csiDriver) return { kind: 'create', original, mirror: createMirror(original, gates) }
  const givesWay = isUntouchedDefault(csiDriver)
  if (!isMirror(csiDriver) && !givesWay) return { kind: 'wait', reason: REASONS.ownObject }
  if (csiDriver.metadata.deletionTimestamp) return { kind: 'wait', reason: REASONS.mirrorLeaving(driver) }
  if (givesWay) return { kind: 'remove', mirror: csiDriver }
  const wanted = mirroredFields(original.spec, gates)
  const patch = findPatch(csiDriver, wanted, original)
  const isImmutable = !hasImmutableOf(csiDriver, wanted)
  if (!patch && !isImmutable) return { kind: 'wait', reason: REASONS.inPlace }
  if (held && held.mirrorRestMs > 0)
    return { kind: 'wait', reason: REASONS.changedJustNow, retryInMs: held.mirrorRestMs }
  return isImmutable || !patch
    ? { kind: 'remove', mirror: csiDriver }
    : { kind: 'update', original, mirror: csiDriver, patch }
}

// The server lets nobody change these two.
const hasImmutableOf = ({ spec }: CSIDriver, { attachRequired, volumeLifecycleModes }: MirroredFields): boolean =>
  (spec.attachRequired ?? true) === attachRequired &&
  isSameSet(spec.volumeLifecycleModes ?? ['Persistent'], volumeLifecycleModes)

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  isEqualJson([...new Set(one)].sort(), [...new Set(other)].sort())

/** Only what differs, on the version that was seen: who takes the mark off at this moment keeps the object. */
function findPatch(
  { metadata, spec }: CSIDriver,
  { podInfoOnMount, requiresRepublish, tokenRequests }: MirroredFields,
  original: AlphaCSIDriver,
): object | undefined {
  const fields = {
    ...((spec.podInfoOnMount ?? false) === podInfoOnMount ? {} : { podInfoOnMount }),
    ...((spec.requiresRepublish ?? false) === requiresRepublish ? {} : { requiresRepublish }),
    ...(isEqualJson(spec.tokenRequests ?? [], tokenRequests)
      ? {}
      : { tokenRequests: tokenRequests.length > 0 ? tokenRequests : null }),
  }
  const annotations = Object.fromEntries(
    Object.entries(mirroredAnnotations(original)).filter(
      ([name, value]) => (metadata.annotations?.[name] ?? null) !== value,
    ),
  )
  const [hasFields, hasAnnotations] = [Object.keys(fields).length > 0, Object.keys(annotations).length > 0]
  if (!hasFields && !hasAnnotations) return undefined
  return {
    metadata: { resourceVersion: metadata.resourceVersion, ...(hasAnnotations ? { annotations } : {}) },
    ...(hasFields ? { spec: fields } : {}),
  }
}

function nextCountStep({ seen: { nodes }, held }: DriverView, original: AlphaCSIDriver, wait: DriverStep): DriverStep {
  if (original.status?.nodes === nodes || original.metadata.deletionTimestamp) return wait
  if (held && held.statusRestMs > 0)
    return { kind: 'wait', reason: REASONS.countedJustNow, retryInMs: held.statusRestMs }
  return { kind: 'count', original, nodes }
}
