import { ignoreAlreadyExists, ignoreNotFound } from '../../api/api-error.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import type { CustomResourceDefinition } from '../../api/kinds/custom-resource-definition.ts'
import { formatReason } from '../../api/reason.ts'
import type { BackoffOptions } from '../../base/backoff.ts'
import { ALPHA_CRDS } from '../../compat/alpha-crds.ts'
import { after, atStart, defineController, on, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import { createDriverMirror } from './driver-mirror.ts'
import { nextCrdStep } from './next-crd-step.ts'
import type { CrdStep, CrdView } from './next-crd-step.ts'
import { defineNodeAccess } from './node-access.ts'
import type { RegistryConfig } from './registry-options.ts'

const BACKOFF = { initialMs: 200, maximumMs: 60_000 }

/** The driver registry: installs its definitions, mirrors its objects for the rest of the cluster, and counts nodes. */
export const startRegistry: StartRole<RegistryConfig> = (config, { log, ...rest }, signal) =>
  startControllers({ ...rest, log: log.with({ part: 'registry' }) }, signal, (role) => {
    const { controller, onUsable } = createDriverMirror(config, role, BACKOFF)
    return [
      defineDefinitionInstaller(config, role, BACKOFF, onUsable),
      controller,
      ...(config.nodeAccess ? [defineNodeAccess(config, role, BACKOFF)] : []),
    ]
  })

type View = CrdView & { readonly isRead: boolean }
type Step = CrdStep | { readonly kind: 'read' }
/** When the definition was last repaired. */
type Memory = number
type Reads = { readonly present: CustomResourceDefinition | null }

/** Installs the definitions of the registry. They are read from the server each time: there are only two, and a watch may be late. */
function defineDefinitionInstaller(
  config: RegistryConfig,
  { api, clock, events, follow, createQueue }: ControllerRole,
  backoff: BackoffOptions,
  onUsable: (name: string) => void,
) {
  const wanted = new Map(ALPHA_CRDS.map((crd) => [crd.metadata.name ?? '', crd]))
  // Only these two of all definitions: a cluster may have hundreds, and they are large.
  const followed = [...wanted.keys()].map((name) =>
    follow(CUSTOM_RESOURCE_DEFINITIONS, { scope: { fieldSelector: `metadata.name=${name}` } }),
  )
  const { crdCheckMs: checkMs } = config

  return defineController<View, Step, Memory, Reads>({
    name: 'registry-definitions',
    queue: createQueue({ name: 'registry-definitions', lanes: { default: 1 }, backoff }),
    watch: [...followed.map((definitions) => on(definitions, ({ key }) => key)), atStart(...wanted.keys())],
    view: (name, { memory = Number.NEGATIVE_INFINITY, reads: { present } }) => {
      const definition = wanted.get(name)
      const held = { restMs: memory + checkMs - clock.monotonicMs() }
      const isRead = present !== undefined
      return definition && { seen: { wanted: definition, present: present ?? undefined }, held, isRead }
    },
    decide: (view) => {
      if (!view.isRead) return { kind: 'read' }
      const step = nextCrdStep(view)
      return step.kind === 'wait' ? { ...step, retryInMs: step.retryInMs ?? checkMs } : step
    },
    perform: {
      wait: ({ usable }, { key }) => {
        if (usable) onUsable(key)
      },
      read: async (_step, pass) => {
        const present = await api.get(CUSTOM_RESOURCE_DEFINITIONS, { name: pass.key }).catch(ignoreNotFound)
        pass.reads = { present: present ?? null }
      },
      create: async ({ crd }, { key, log }) => {
        const created = await api.create(CUSTOM_RESOURCE_DEFINITIONS, crd).catch(ignoreAlreadyExists)
        if (created) log.info('definition installed', { definition: key })
        // The watch reports when it is served, whoever created it; if that is missed, the next check finds it.
        return after(checkMs)
      },
      heal: async ({ crd }, pass) => {
        pass.memory = clock.monotonicMs()
        await api.update(CUSTOM_RESOURCE_DEFINITIONS, crd)
        pass.log.info('definition completed', { definition: pass.key })
        return after(checkMs)
      },
      refuse: ({ reason }, { key, view: { seen }, log }) => {
        log.warn('a definition was not created by Holdfast and is not what is needed', { definition: key, reason })
        if (seen.present) events.record(seen.present, 'Warning', reason.code, formatReason(reason))
        return after(checkMs)
      },
    },
  })
}
