import { ignoreRace } from '../../api/api-error.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { startDeadline } from '../../base/abort.ts'
import { chooseAlphaDriver } from '../../compat/choose-alpha-driver.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import { limitRequests, startControllers } from '../../kube/controller/index.ts'
import { startOptionalCache } from '../../kube/cache/optional-cache.ts'
import type { RoleParts, RunningRole } from '../role.ts'
import type { ClusterRegistrarConfig } from './cluster-registrar-options.ts'
import { ALPHA } from './next-registration-step.ts'
import {
  defineRegistration,
  readAlphaDrivers,
  readCsiDriver,
  removeAsSeen,
  setReady,
} from './registration-controller.ts'
import { isOurs, wantedObjects } from './wanted-objects.ts'

const LAST_WRITES_MS = 5000

export type RegistrarConfig = ClusterRegistrarConfig & {
  /** Does the process itself end? Otherwise the role only stops for a while, as when its driver is being restarted. */
  isExiting(): boolean
}

export interface RunningRegistrar extends RunningRole {
  /** Are the driver's objects in place, as far as they are ours to make? */
  isRegistered(): boolean
}

/** Keeps the driver's objects in place. The registry shows the driver as ready for as long as this is running. */
export async function startClusterRegistrar(
  config: RegistrarConfig,
  parts: RoleParts,
  signal: AbortSignal,
): Promise<RunningRegistrar> {
  const log = parts.log.with({ driver: parts.facts.name })
  const settled = new Set<string>()
  const running = await startControllers({ ...parts, log }, signal, async (role) => {
    let onAlphaChange = (): void => {}
    const alphaDrivers = await startOptionalCache(ALPHA_CSI_DRIVERS, role, () => onAlphaChange(), signal)
    role.onStop(alphaDrivers.stop)
    // Runs after the controller has stopped, so with the API of the process.
    role.onStop(() =>
      reportEnd(config, parts).catch((error: unknown) =>
        log.warn('failed to report that the driver is no longer ready', { error }),
      ),
    )
    return [
      defineRegistration(role, {
        wanted: wantedObjects(parts.facts, config),
        recreate: config.recreateOnImmutableChange,
        settled,
        watchAlpha: (enqueue) => {
          onAlphaChange = () => enqueue(ALPHA)
          return () => {}
        },
      }),
    ]
  })
  return { ...running, isRegistered: () => settled.size === 2 }
}

async function reportEnd(config: RegistrarConfig, { api: plain, clock, facts }: RoleParts): Promise<void> {
  using limit = startDeadline(clock, LAST_WRITES_MS, () => new Error(`no answer within ${LAST_WRITES_MS / 1000} s`))
  const api = limitRequests(plain, { clock, signal: limit.signal })
  const { chosen } = chooseAlphaDriver(facts.name, (await readAlphaDrivers(api)) ?? [])
  const isDeleting = config.deleteOnExit && config.isExiting()
  if (chosen && isDeleting && isOurs(chosen)) await removeAsSeen(api, ALPHA_CSI_DRIVERS, chosen).catch(ignoreRace)
  else if (chosen?.status?.ready) await setReady(api, chosen, false).catch(ignoreRace)
  const own = isDeleting ? await readCsiDriver(api, facts.name) : undefined
  if (own && isOurs(own)) await removeAsSeen(api, CSI_DRIVERS, own).catch(ignoreRace)
}
