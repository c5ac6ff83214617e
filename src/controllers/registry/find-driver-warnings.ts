import { isEqualJson } from '../../api/equal-json.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { ObjectMeta } from '../../api/object.ts'
import { chooseAlphaDriver } from '../../compat/choose-alpha-driver.ts'
import { isUntouchedDefault } from '../../storage/default-csi-driver.ts'
import {
  isMirror,
  mirroredFields,
  mirrorNameProblems,
  POD_HANDLES_ANNOTATION,
  POD_INFO_VERSION,
} from '../../compat/mirror-csi-driver.ts'
import type { AlphaCSIDriver } from '../../compat/alpha-csi-driver.ts'
import { audienceOf } from '../../compat/alpha-tokens.ts'
import { fieldsOf } from './next-driver-step.ts'
import type { DriverView } from './next-driver-step.ts'
import { REASONS } from './reasons.ts'
import type { RegistryReason } from './reasons.ts'

export type DriverWarning = { readonly about: AlphaCSIDriver; readonly reason: RegistryReason }

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
