import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import { because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import type { AlphaCSIDriver } from '../../compat/alpha-csi-driver.ts'
import { chooseAlphaDriver } from '../../compat/choose-alpha-driver.ts'
import { mirrorNameProblems } from '../../compat/mirror-csi-driver.ts'
import { isOurs } from './wanted-objects.ts'
import type { WantedObjects } from './wanted-objects.ts'

export const REASONS = defineReasons({
  DriverRegistered: 'the driver is registered',
  ObjectBeingDeleted: 'the object is being deleted',
  ChangedJustNow: 'the object was changed less than two minutes ago',
  RegistryNotInstalled: 'the driver registry (csi.storage.k8s.io/v1alpha1) is not installed',
  DriverNameNotPossible: (driver: string, problem: string) =>
    because(`no CSIDriver object can be named "${driver}": ${problem}`, {
      cure: 'Give the driver a lowercase name. Only Holdfast reads its object in the registry.',
    }),
  ObjectOfAnotherDriver: (name: string, driver: string) =>
    because(`the registry object "${name}" belongs to another driver than ${driver}`, {
      cure: 'Rename that object to make room for this driver.',
    }),
  ObjectMadeByOthers: (differs: string) =>
    because(`the CSIDriver object was not created by this registrar and differs: ${differs}`, {
      cure: 'Change the object, or the flags of the registrar.',
    }),
  ObjectCanNotChange: (differs: string) =>
    because(`field is immutable: ${differs}`, {
      cure: 'Delete the object while no volume of the driver is in use, or run the registrar with --recreate-on-immutable-change.',
    }),
})

type RegistrarReason = ReasonIn<typeof REASONS>

/** The two keys: the API group of the object. */
export const TODAY = 'storage.k8s.io'
export const ALPHA = 'csi.storage.k8s.io'

/** The server's objects. Without `alphaDrivers` (objects of this driver and of others), the server does not have the registry's kind. */
export type RegistrationReads = {
  readonly today: { readonly csiDriver: CSIDriver | undefined }
  readonly alpha: { readonly alphaDrivers: readonly AlphaCSIDriver[] | undefined }
}

export type RegistrationView = {
  readonly wanted: WantedObjects
  /** Whether an object whose immutable fields differ may be deleted and created again. */
  readonly recreate: boolean
  /** How long the object must not be changed again: another registrar with other flags may do the same. */
  readonly restMs: number
}

/** `warning`: the object is not as it should be, and the registrar does not change it. */
type Wait = {
  readonly kind: 'wait'
  readonly reason: RegistrarReason
  readonly retryInMs?: number
  readonly warning?: { readonly about: DriverObject; readonly reason: RegistrarReason }
}
type DriverObject = CSIDriver | AlphaCSIDriver

export type RegistrationStep =
  | Wait
  | { readonly kind: 'read' }
  | { readonly kind: 'create'; readonly object: DriverObject }
  | { readonly kind: 'update'; readonly object: DriverObject; readonly patch: object }
  /** To create it again. */
  | { readonly kind: 'remove'; readonly object: DriverObject }
  /** Reports that the driver is ready. */
  | { readonly kind: 'ready'; readonly object: DriverObject }

export function nextRegistrationStep(
  view: RegistrationView & { readonly key: string; readonly reads: Partial<RegistrationReads> },
): RegistrationStep {
  const { today, alpha } = view.reads
  if (view.key === TODAY) return today ? nextTodayStep(today, view) : { kind: 'read' }
  return alpha ? nextAlphaStep(alpha, view) : { kind: 'read' }
}

/** What to do about the driver's current object (`CSIDriver`). One that others created is left alone. */
export function nextTodayStep(
  { csiDriver: present }: RegistrationReads['today'],
  { wanted: { driver, csiDriver }, recreate, restMs }: RegistrationView,
): RegistrationStep {
  const [problem] = mirrorNameProblems(driver)
  if (problem !== undefined) return { kind: 'wait', reason: REASONS.DriverNameNotPossible(driver, problem) }
  if (!present) return { kind: 'create', object: csiDriver }
  if (present.metadata.deletionTimestamp) return { kind: 'wait', reason: REASONS.ObjectBeingDeleted }
  const { podInfoOnMount } = csiDriver.spec
  const { attachRequired: attaches = true, podInfoOnMount: passesPodInfo = false } = present.spec
  const isImmutable = attaches !== csiDriver.spec.attachRequired
  const differing = [isImmutable && 'attachRequired', passesPodInfo !== podInfoOnMount && 'podInfoOnMount'] as const
  const differs = differing.flatMap((member) => (member ? [`${member} should be ${csiDriver.spec[member]}`] : []))
  const registered = { kind: 'wait', reason: REASONS.DriverRegistered } as const
  if (differs.length === 0) return registered
  const warn = (reason: RegistrarReason): Wait => ({ ...registered, warning: { about: present, reason } })
  if (!isOurs(present)) return warn(REASONS.ObjectMadeByOthers(differs.join(', ')))
  if (isImmutable && !recreate) return warn(REASONS.ObjectCanNotChange(differs.join(', ')))
  if (restMs > 0) return { kind: 'wait', reason: REASONS.ChangedJustNow, retryInMs: restMs }
  if (isImmutable) return { kind: 'remove', object: present }
  const { resourceVersion } = present.metadata
  return { kind: 'update', object: present, patch: { metadata: { resourceVersion }, spec: { podInfoOnMount } } }
}

export function nextAlphaStep(
  { alphaDrivers }: RegistrationReads['alpha'],
  { wanted: { driver, alphaDriver }, restMs }: RegistrationView,
): RegistrationStep {
  if (!alphaDrivers) return { kind: 'wait', reason: REASONS.RegistryNotInstalled }
  const { chosen } = chooseAlphaDriver(driver, alphaDrivers)
  if (!chosen) {
    const inTheWay = alphaDrivers.find(({ metadata }) => metadata.name === alphaDriver.metadata.name)
    if (!inTheWay) return { kind: 'create', object: alphaDriver }
    const reason = REASONS.ObjectOfAnotherDriver(alphaDriver.metadata.name ?? '', driver)
    return { kind: 'wait', reason, warning: { about: inTheWay, reason } }
  }
  if (chosen.metadata.deletionTimestamp) return { kind: 'wait', reason: REASONS.ObjectBeingDeleted }
  const patch = isOurs(chosen) ? findAlphaPatch(chosen, alphaDriver) : undefined
  if (patch && restMs <= 0) return { kind: 'update', object: chosen, patch }
  if (chosen.status?.ready !== true) return { kind: 'ready', object: chosen }
  if (patch) return { kind: 'wait', reason: REASONS.ChangedJustNow, retryInMs: restMs }
  return { kind: 'wait', reason: REASONS.DriverRegistered }
}

// Null removes a member; the design document also writes it for a member that is not set.
function findAlphaPatch(
  { metadata: { resourceVersion }, spec: has }: AlphaCSIDriver,
  { spec: wants }: AlphaCSIDriver,
): object | undefined {
  const members = ['attachRequired', 'podInfoOnMountVersion', 'podInfoRequiredOnMount'] as const
  const differing = members.filter((member) => (has[member] ?? undefined) !== (wants[member] ?? undefined))
  if (differing.length === 0) return undefined
  return {
    metadata: { resourceVersion },
    spec: Object.fromEntries(differing.map((member) => [member, wants[member] ?? null])),
  }
}
