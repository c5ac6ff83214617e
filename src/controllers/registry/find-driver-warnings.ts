import { isEqualJson } from '../../api/equal-json.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { Reason } from '../../api/reason.ts'
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
import type { DriverView } from './next-driver-step.ts'
import { REASONS } from './reasons.ts'

export type DriverWarning = { readonly about: AlphaCSIDriver; readonly reason: Reason }

/** What the authors of these objects should know, because it is not as they wrote it. */
export function findDriverWarnings({ driver, claims, csiDriver }: Omit<DriverView['seen'], 'nodes'>): DriverWarning[] {
  const { chosen, ignored } = chooseAlphaDriver(driver, claims)
  if (!chosen) return []
  const twice = ignored.map((about) => ({ about, reason: REASONS.describedTwice(driver, chosen.metadata.name ?? '') }))
  return [...twice, ...warningsOf(driver, chosen, csiDriver).map((reason) => ({ about: chosen, reason }))]
}

function warningsOf(driver: string, original: AlphaCSIDriver, csiDriver: CSIDriver | undefined): Reason[] {
  const { spec } = original
  const { podInfoOnMountVersion: version, serviceAccountTokens } = spec
  const [problem] = mirrorNameProblems(driver)
  const differs =
    csiDriver && !isMirror(csiDriver) && !isUntouchedDefault(csiDriver) ? differencesOf(original, csiDriver) : []
  return [
    ...(spec.driver ? [] : [REASONS.driverNotNamed(driver)]),
    ...(version && version !== POD_INFO_VERSION ? [REASONS.unknownVersion(version)] : []),
    ...(serviceAccountTokens?.some((token) => audienceOf(token) === undefined) ? [REASONS.unreadableAudience] : []),
    ...(problem === undefined ? [] : [REASONS.nameNotPossible(driver, problem)]),
    ...(differs.length === 0 ? [] : [REASONS.ownObjectDecides(driver, differs.join(', '))]),
  ]
}

/** Fields that the object says something about, and somebody's own object of today says otherwise: `attachRequired true, here false`. */
function differencesOf({ metadata, spec }: AlphaCSIDriver, { metadata: ownMetadata, spec: own }: CSIDriver): string[] {
  const wanted = mirroredFields(spec)
  const [handles, ownHandles] = [metadata, ownMetadata].map(
    ({ annotations }) => annotations?.[POD_HANDLES_ANNOTATION] === 'true',
  )
  const pairs: [field: string, said: boolean, here: unknown, there: unknown][] = [
    [
      'attachRequired',
      (spec.attachRequired ?? spec.skipAttach ?? undefined) !== undefined,
      wanted.attachRequired,
      own.attachRequired ?? true,
    ],
    ['podInfoOnMount', Boolean(spec.podInfoOnMountVersion), wanted.podInfoOnMount, own.podInfoOnMount ?? false],
    [
      'requiresRepublish',
      (spec.requiresRemount ?? undefined) !== undefined,
      wanted.requiresRepublish,
      own.requiresRepublish ?? false,
    ],
    ['tokenRequests', Boolean(spec.serviceAccountTokens?.length), wanted.tokenRequests, own.tokenRequests ?? []],
    [
      'volumeLifecycleModes',
      Boolean(spec.volumeLifecycleModes?.length),
      wanted.volumeLifecycleModes,
      own.volumeLifecycleModes ?? ['Persistent'],
    ],
    [POD_HANDLES_ANNOTATION, handles === true, handles, ownHandles],
  ]
  return pairs
    .filter(([, said, here, there]) => said && !isEqualJson(here, there))
    .map(([field, , here, there]) => `${field} ${JSON.stringify(there)}, here ${JSON.stringify(here)}`)
}
