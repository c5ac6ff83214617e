import { isAlreadyExists, isForbidden, isNotFound, ignoreNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import { formatReason } from '../../api/reason.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import type { AlphaCSIDriver } from '../../compat/alpha-csi-driver.ts'
import { atStart, defineController, on } from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, Watch } from '../../kube/controller/index.ts'
import { ALPHA, nextRegistrationStep, TODAY } from './next-registration-step.ts'
import type { RegistrationReads, RegistrationStep, RegistrationView } from './next-registration-step.ts'
import type { WantedObjects } from './wanted-objects.ts'

export type RegistrationParts = {
  readonly wanted: WantedObjects
  readonly recreate: boolean
  /** Keys with nothing to do. */
  readonly settled: Set<string>
  /** Changes of the alpha objects, whose kind the server may not have. */
  readonly watchAlpha: Watch
}

// As often as upstream: no watch says that the registry's kind was installed.
const LOOK_AGAIN_MS = 120_000
const BACKOFF = { initialMs: 500, maximumMs: 120_000 }

/** When the object was last changed. */
type Memory = number
type RegistrationPass = Pass<RegistrationView, Memory, RegistrationReads>

/** Creates and updates the driver's two objects. Decides on what the server has: the objects are few and rarely looked at. */
export function defineRegistration(
  { api, clock, follow, createQueue }: ControllerRole,
  { wanted, recreate, settled, watchAlpha }: RegistrationParts,
) {
  const typeOf = (key: string): ResourceType => (key === TODAY ? CSI_DRIVERS : ALPHA_CSI_DRIVERS)
  const write =
    <Step extends RegistrationStep>(act: (step: Step, type: ResourceType) => Promise<unknown>) =>
    async (step: Step, pass: RegistrationPass): Promise<void> => {
      await act(step, typeOf(pass.key))
      if (step.kind === 'update' || step.kind === 'remove') pass.memory = clock.monotonicMs()
      pass.reads = {}
      settled.delete(pass.key)
      pass.log.info('registration changed', { driver: wanted.driver, change: step.kind })
    }
  return defineController<RegistrationView, RegistrationStep, Memory, RegistrationReads>({
    name: 'cluster-registrar',
    // One worker: today's object comes first, so that the registry finds it there and makes no mirror.
    queue: createQueue({ name: 'cluster-driver-registrar', lanes: { default: 1 }, backoff: BACKOFF }),
    watch: [
      atStart(TODAY, ALPHA),
      on(follow(CSI_DRIVERS, { scope: { fieldSelector: `metadata.name=${wanted.driver}` } }), () => TODAY),
      watchAlpha,
    ],
    view: (key, { reads, memory = Number.NEGATIVE_INFINITY }) => ({
      key,
      wanted,
      recreate,
      reads,
      held: { restMs: memory + LOOK_AGAIN_MS - clock.monotonicMs() },
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
      create: write(({ object }, type) =>
        api.create<KubeObject>(type, object).catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error
        }),
      ),
      update: write(({ object, patch }, type) => api.patch(type, refOf(object), { type: 'merge', value: patch })),
      remove: write(({ object }) => removeAsSeen(api, CSI_DRIVERS, object)),
      ready: write(({ object }) => setReady(api, object, true)),
    },
  })
}

export const readCsiDriver = (api: Api, name: string) => api.get(CSI_DRIVERS, { name }).catch(ignoreNotFound)

/** Undefined: the server does not have the registry's kind, or does not let us see it. */
export async function readAlphaDrivers(api: Api): Promise<readonly AlphaCSIDriver[] | undefined> {
  try {
    return (await api.list(ALPHA_CSI_DRIVERS)).items
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined
    throw error
  }
}

/** Only this very object, and only as it was seen. */
export function removeAsSeen<T extends KubeObject>(api: Api, type: ResourceType<T>, object: T): Promise<unknown> {
  const { uid = '', resourceVersion = '' } = object.metadata
  return api.delete(type, refOf(object), { preconditions: { uid, resourceVersion } })
}

export const setReady = (api: Api, object: AlphaCSIDriver, ready: boolean): Promise<unknown> =>
  api.patch(
    ALPHA_CSI_DRIVERS,
    refOf(object),
    { type: 'merge', value: { status: { ready } } },
    { subresource: 'status' },
  )
