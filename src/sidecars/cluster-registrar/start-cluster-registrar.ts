import { ignoreAlreadyExists, ignoreNotFound, ignoreRace, isForbidden, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import { formatReason } from '../../api/reason.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { startDeadline } from '../../base/abort.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import type { AlphaCSIDriver } from '../../compat/alpha-csi-driver.ts'
import { chooseAlphaDriver } from '../../compat/choose-alpha-driver.ts'
import {
  atStart,
  createChangeSource,
  defineController,
  deleteAsSeen,
  limitRequests,
  on,
  startControllers,
} from '../../kube/controller/index.ts'
import type { ChangeSource, ControllerRole, Pass } from '../../kube/controller/index.ts'
import type { RoleParts, RunningRole } from '../role.ts'
import type { ClusterRegistrarConfig } from './cluster-registrar-options.ts'
import { ALPHA, nextRegistrationStep, TODAY } from './next-registration-step.ts'
import type { RegistrationReads, RegistrationStep } from './next-registration-step.ts'
import { isOurs, wantedObjects } from './wanted-objects.ts'
import type { WantedObjects } from './wanted-objects.ts'

// The same interval as upstream: no watch reports that the registry's kind was installed.
const LOOK_AGAIN_MS = 120_000
const BACKOFF = { initialMs: 500, maximumMs: 120_000 }

type View = Parameters<typeof nextRegistrationStep>[0]
/** When the object was last changed. */
type Memory = number
type RegistrationPass = Pass<View, Memory, RegistrationReads>

/**
 * Creates and updates the driver's two objects. Decides on the server's state: the objects are few and rarely read. `settled` has the keys with
 * nothing to do; `alphaChanges` has those of objects whose kind the server may not have.
 */
function defineRegistration(
  { api, clock, follow, createQueue }: ControllerRole,
  wanted: WantedObjects,
  recreate: boolean,
  { settled, alphaChanges }: { settled: Set<string>; alphaChanges: ChangeSource<unknown> },
) {
  const write =
    <Step extends RegistrationStep>(act: (step: Step, type: ResourceType) => Promise<unknown>) =>
    async (step: Step, pass: RegistrationPass): Promise<void> => {
      await act(step, pass.key === TODAY ? CSI_DRIVERS : ALPHA_CSI_DRIVERS)
      if (step.kind === 'update' || step.kind === 'remove') pass.memory = clock.monotonicMs()
      pass.reads = {}
      settled.delete(pass.key)
      pass.log.info('registration changed', { driver: wanted.driver, change: step.kind })
    }
  return defineController<View, RegistrationStep, Memory, RegistrationReads>({
    name: 'cluster-registrar',
    // One worker: the `storage.k8s.io` object comes first, so that the registry finds it and creates no mirror.
    queue: createQueue({ name: 'cluster-driver-registrar', lanes: { default: 1 }, backoff: BACKOFF }),
    watch: [
      atStart(TODAY, ALPHA),
      on(follow(CSI_DRIVERS, { scope: { fieldSelector: `metadata.name=${wanted.driver}` } }), () => TODAY),
      on(alphaChanges, () => ALPHA),
    ],
    view: (key, { reads, memory = Number.NEGATIVE_INFINITY }) => ({
      key,
      wanted,
      recreate,
      reads,
      restMs: memory + LOOK_AGAIN_MS - clock.monotonicMs(),
    }),
    decide: (view) => {
      const step = nextRegistrationStep(view)
      return step.kind === 'wait' ? { retryInMs: LOOK_AGAIN_MS, ...step } : step
    },
    perform: {
      wait: ({ warning }, { key, log, say, unsay }) => {
        settled.add(key)
        if (!warning) return unsay()
        log.warn('an object of the driver is not as it should be', { reason: warning.reason })
        say(warning.about, { type: 'Warning', event: warning.reason.code }, formatReason(warning.reason))
      },
      read: async (_step, pass) => {
        if (pass.key === TODAY) pass.reads = { today: { csiDriver: await readCsiDriver(api, wanted.driver) } }
        else pass.reads = { alpha: { alphaDrivers: await readAlphaDrivers(api) } }
      },
      create: write(({ object }, type) => api.create<KubeObject>(type, object).catch(ignoreAlreadyExists)),
      update: write(({ object, patch }, type) => api.patch(type, refOf(object), { type: 'merge', value: patch })),
      remove: write(({ object }, type) => deleteAsSeen(api, type, object)),
      ready: write(({ object }) => setReady(api, object, true)),
    },
  })
}

const readCsiDriver = (api: Api, name: string) => api.get(CSI_DRIVERS, { name }).catch(ignoreNotFound)

/** Undefined if the server does not have the registry's kind, or does not let us read it. */
async function readAlphaDrivers(api: Api): Promise<readonly AlphaCSIDriver[] | undefined> {
  try {
    return (await api.list(ALPHA_CSI_DRIVERS)).items
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined
    throw error
  }
}

function setReady(api: Api, object: KubeObject, ready: boolean): Promise<unknown> {
  const value = { status: { ready } }
  return api.patch(ALPHA_CSI_DRIVERS, refOf(object), { type: 'merge', value }, { subresource: 'status' })
}

const LAST_WRITES_MS = 5000

export type RegistrarConfig = ClusterRegistrarConfig & {
  /** Whether the process itself is exiting. Otherwise the role only stops for a while, for example while its driver is being restarted. */
  isExiting(): boolean
}

export interface RunningRegistrar extends RunningRole {
  /** Whether the driver's objects exist, as far as we have to create them. */
  isRegistered(): boolean
}

/** Keeps the driver's objects in place. The registry shows the driver as ready for as long as this is running. */
export async function startClusterRegistrar(
  config: RegistrarConfig,
  parts: RoleParts,
  signal: AbortSignal,
): Promise<RunningRegistrar> {
  const settled = new Set<string>()
  const running = await startControllers(parts, signal, async (role) => {
    const alphaChanges = createChangeSource<unknown>()
    await role.followOptional(ALPHA_CSI_DRIVERS, alphaChanges.tell)
    // Runs after the controller has stopped, so with the API of the process.
    role.onStop(() =>
      reportEnd(config, parts).catch((error: unknown) =>
        role.log.warn('failed to report that the driver is no longer ready', { error }),
      ),
    )
    const wanted = wantedObjects(parts.facts, config)
    return [defineRegistration(role, wanted, config.recreateOnImmutableChange, { settled, alphaChanges })]
  })
  return { ...running, isRegistered: () => settled.size === 2 }
}

async function reportEnd(config: RegistrarConfig, { api: plain, clock, facts }: RoleParts): Promise<void> {
  using limit = startDeadline(clock, LAST_WRITES_MS, () => new Error(`no answer within ${LAST_WRITES_MS / 1000} s`))
  const api = limitRequests(plain, { clock, signal: limit.signal })
  const { chosen } = chooseAlphaDriver(facts.name, (await readAlphaDrivers(api)) ?? [])
  const isDeleting = config.deleteOnExit && config.isExiting()
  if (chosen && isDeleting && isOurs(chosen)) await deleteAsSeen(api, ALPHA_CSI_DRIVERS, chosen).catch(ignoreRace)
  else if (chosen?.status?.ready) await setReady(api, chosen, false).catch(ignoreRace)
  const own = isDeleting ? await readCsiDriver(api, facts.name) : undefined
  if (own && isOurs(own)) await deleteAsSeen(api, CSI_DRIVERS, own).catch(ignoreRace)
}
