import type { DriverGates } from '../../api/driver-gates.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { ObjectMeta } from '../../api/object.ts'
import type { AlphaCSIDriver } from '../../compat/alpha-csi-driver.ts'
import { audienceOf } from '../../compat/alpha-tokens.ts'
import { chooseAlphaDriver } from '../../compat/choose-alpha-driver.ts'
import {
  createMirror,
  isMirror,
  mirroredAnnotations,
  mirroredFields,
  mirrorNameProblems,
  POD_HANDLES_ANNOTATION,
  POD_INFO_VERSION,
} from '../../compat/mirror-csi-driver.ts'
import type { MirroredFields } from '../../compat/mirror-csi-driver.ts'
import { isUntouchedDefault } from '../../storage/default-csi-driver.ts'
import { REASONS } from './reasons.ts'
import type { RegistryReason } from './reasons.ts'

export type DriverView = {
  readonly seen: {
    readonly driver: string
    /** The registry's objects about the driver. */
    readonly claims: readonly AlphaCSIDriver[]
    /** The `CSIDriver` of `storage.k8s.io`, mirror or not. */
    readonly csiDriver: CSIDriver | undefined
    /** The number of nodes on which the driver is registered. */
    readonly nodes: number
  }
  readonly gates?: DriverGates
  readonly held?: {
    /** How long the number of nodes must not be written again. */
    readonly statusRestMs: number
    /** The server has rejected a mirror of the object in its current state. */
    readonly refused: boolean
    /** How long a mirror of the object in its current state must not be changed again: another client may be changing it too. */
    readonly mirrorRestMs: number
  }
}

export type DriverStep =
  | { readonly kind: 'wait'; readonly reason: RegistryReason; readonly retryInMs?: number }
  | { readonly kind: 'create'; readonly original: AlphaCSIDriver; readonly mirror: CSIDriver }
  | { readonly kind: 'update'; readonly original: AlphaCSIDriver; readonly mirror: CSIDriver; readonly patch: object }
  /**
   * Delete the mirror, because its original is gone or needs a change that is not possible; or delete the cluster's default. It is then created
   * again.
   */
  | { readonly kind: 'remove'; readonly mirror: CSIDriver }
  | { readonly kind: 'count'; readonly original: AlphaCSIDriver; readonly nodes: number }

/** What to do about a driver: first its mirror, then the number of its nodes. An object without our mark is never touched. */
export function nextDriverStep(view: DriverView): DriverStep {
  const { driver, claims, csiDriver } = view.seen
  const { chosen } = chooseAlphaDriver(driver, claims)
  if (!chosen) {
    if (!csiDriver || !isMirror(csiDriver)) return { kind: 'wait', reason: REASONS.DriverNotDescribed }
    return csiDriver.metadata.deletionTimestamp
      ? { kind: 'wait', reason: REASONS.MirrorBeingDeleted(driver) }
      : { kind: 'remove', mirror: csiDriver }
  }
  const mirrorStep = nextMirrorStep(view, chosen)
  return mirrorStep.kind === 'wait' ? nextCountStep(view, chosen, mirrorStep) : mirrorStep
}

function nextMirrorStep(view: DriverView, original: AlphaCSIDriver): DriverStep {
  const { driver, csiDriver } = view.seen
  const { gates, held } = view
  const [problem] = mirrorNameProblems(driver)
  if (problem !== undefined) return { kind: 'wait', reason: REASONS.DriverNameNotMirrored(driver, problem) }
  if (held?.refused) return { kind: 'wait', reason: REASONS.MirrorRefused }
  if (!csiDriver) return { kind: 'create', original, mirror: createMirror(original, gates) }
  const givesWay = isUntouchedDefault(csiDriver)
  if (!isMirror(csiDriver) && !givesWay) return { kind: 'wait', reason: REASONS.DriverHasOwnObject }
  if (csiDriver.metadata.deletionTimestamp) return { kind: 'wait', reason: REASONS.MirrorBeingDeleted(driver) }
  if (givesWay) return { kind: 'remove', mirror: csiDriver }
  const wanted = mirroredFields(original.spec, gates)
  const patch = findPatch(csiDriver, wanted, original)
  const isImmutable = !hasImmutableOf(fieldsOf(csiDriver.spec), wanted)
  if (!patch && !isImmutable) return { kind: 'wait', reason: REASONS.MirrorInPlace }
  if (held && held.mirrorRestMs > 0)
    return { kind: 'wait', reason: REASONS.MirrorChangedJustNow, retryInMs: held.mirrorRestMs }
  return isImmutable || !patch
    ? { kind: 'remove', mirror: csiDriver }
    : { kind: 'update', original, mirror: csiDriver, patch }
}

/** The fields of a CSIDriver, with their defaults. */
const fieldsOf = (spec: CSIDriver['spec']): MirroredFields => ({
  attachRequired: spec.attachRequired ?? true,
  podInfoOnMount: spec.podInfoOnMount ?? false,
  requiresRepublish: spec.requiresRepublish ?? false,
  tokenRequests: spec.tokenRequests ?? [],
  volumeLifecycleModes: spec.volumeLifecycleModes ?? ['Persistent'],
})

// These two are immutable.
const hasImmutableOf = (present: MirroredFields, wanted: MirroredFields): boolean =>
  present.attachRequired === wanted.attachRequired &&
  isSameSet(present.volumeLifecycleModes, wanted.volumeLifecycleModes)

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  isEqualJson([...new Set(one)].sort(), [...new Set(other)].sort())

/** Only the differences, on the version that was seen: a user who removes the mark at the same time keeps the object. */
function findPatch(mirror: CSIDriver, wanted: MirroredFields, original: AlphaCSIDriver): object | undefined {
  const { metadata, spec } = mirror
  const present = fieldsOf(spec)
  const fields = Object.fromEntries(
    (['podInfoOnMount', 'requiresRepublish', 'tokenRequests'] as const)
      .filter((field) => !isEqualJson(present[field], wanted[field]))
      .map((field) => [field, isEqualJson(wanted[field], []) ? null : wanted[field]]),
  )
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
    return { kind: 'wait', reason: REASONS.NodesCountedJustNow, retryInMs: held.statusRestMs }
  return { kind: 'count', original, nodes }
}

type DriverWarning = { readonly about: AlphaCSIDriver; readonly reason: RegistryReason }

/** Where the cluster does not behave as these objects specify, for events about them. */
export function findDriverWarnings({ driver, claims, csiDriver }: Omit<DriverView['seen'], 'nodes'>): DriverWarning[] {
  const { chosen, ignored } = chooseAlphaDriver(driver, claims)
  if (!chosen) return []
  const twice = ignored.map((about) => ({
    about,
    reason: REASONS.DriverDescribedTwice(driver, chosen.metadata.name ?? ''),
  }))
  return [...twice, ...warningsOf(driver, chosen, csiDriver).map((reason) => ({ about: chosen, reason }))]
}

function warningsOf(driver: string, original: AlphaCSIDriver, csiDriver: CSIDriver | undefined): RegistryReason[] {
  const { spec } = original
  const { podInfoOnMountVersion: version, serviceAccountTokens } = spec
  const [problem] = mirrorNameProblems(driver)
  const differs =
    csiDriver && !isMirror(csiDriver) && !isUntouchedDefault(csiDriver) ? differencesOf(original, csiDriver) : []
  return [
    ...(spec.driver ? [] : [REASONS.DriverNotNamed(driver)]),
    ...(version && version !== POD_INFO_VERSION ? [REASONS.UnknownPodInfoVersion(version)] : []),
    ...(serviceAccountTokens?.some((token) => audienceOf(token) === undefined) ? [REASONS.UnreadableAudience] : []),
    ...(problem === undefined ? [] : [REASONS.DriverNameNotMirrored(driver, problem)]),
    ...(differs.length === 0 ? [] : [REASONS.OwnObjectDecides(driver, differs.join(', '))]),
  ]
}

/** Fields that the object sets and that differ in a CSIDriver which is not a mirror: `attachRequired true, here false`. */
function differencesOf({ metadata, spec }: AlphaCSIDriver, { metadata: ownMetadata, spec: own }: CSIDriver): string[] {
  const allowsHandles = ({ annotations }: ObjectMeta) => annotations?.[POD_HANDLES_ANNOTATION] === 'true'
  const here = { ...mirroredFields(spec), [POD_HANDLES_ANNOTATION]: allowsHandles(metadata) }
  const there = { ...fieldsOf(own), [POD_HANDLES_ANNOTATION]: allowsHandles(ownMetadata) }
  const isSet: Readonly<Record<keyof typeof here, unknown>> = {
    attachRequired: (spec.attachRequired ?? spec.skipAttach ?? undefined) !== undefined,
    podInfoOnMount: spec.podInfoOnMountVersion,
    requiresRepublish: (spec.requiresRemount ?? undefined) !== undefined,
    tokenRequests: spec.serviceAccountTokens?.length,
    volumeLifecycleModes: spec.volumeLifecycleModes?.length,
    [POD_HANDLES_ANNOTATION]: allowsHandles(metadata),
  }
  // These are the names in `isSet`.
  return (Object.keys(isSet) as (keyof typeof here)[])
    .filter((field) => isSet[field] && !isEqualJson(here[field], there[field]))
    .map((field) => `${field} ${JSON.stringify(there[field])}, here ${JSON.stringify(here[field])}`)
}
