import { ignoreNotFound, isAlreadyExists, isInvalid, isNotFound } from '../../api/api-error.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { refOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { chooseAlphaDriver } from '../../compat/choose-alpha-driver.ts'
import { mirroredAnnotations } from '../../compat/mirror-csi-driver.ts'
import { driverNamedBy, ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import type { AlphaCSIDriver } from '../../compat/alpha-csi-driver.ts'
import { driversOfCsiNode } from '../../compat/alpha-csi-node-info.ts'
import type { CSINodeInfo, RegisteredDriver } from '../../compat/alpha-csi-node-info.ts'
import { after, defineController, DONE, on } from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, StepOutcome, WorkQueue } from '../../kube/controller/index.ts'
import { findDriverWarnings } from './find-driver-warnings.ts'
import { nextDriverStep } from './next-driver-step.ts'
import type { DriverStep, DriverView } from './next-driver-step.ts'
import { REASONS } from './reasons.ts'
import type { RegistryConfig } from './registry-options.ts'

export const BY_DRIVER = 'registry/driver'
const MIRROR_REST_MS = 60_000

export const namesOf = (drivers: readonly RegisteredDriver[]): ReadonlySet<string> =>
  new Set(drivers.map(({ name }) => name))

/** Names of drivers that only one of the lists has. */
export const changedNames = (
  before: readonly RegisteredDriver[],
  after: readonly RegisteredDriver[],
): Iterable<string> => namesOf(before).symmetricDifference(namesOf(after))

/** Of a driver that the registry describes. */
type Memory = {
  readonly countedMs?: number
  /** The wording of the object whose mirror the server refused. */
  readonly refusedAs?: string
  /** The wording for which the mirror was changed last, and when. */
  readonly changed?: { readonly wording: string; readonly atMs: number }
}
type DriverPass = Pass<DriverView, Memory, object>

export type MirrorParts = {
  readonly queue: WorkQueue
  /** What nodes have registered in `CSINodeInfo`, as far as that kind is served. */
  findNodeInfos(driver: string): readonly CSINodeInfo[]
}

/** Maintains one driver: its mirror, its number of nodes, and the events about its objects. */
export function defineDriverMirror(
  config: RegistryConfig,
  role: ControllerRole,
  { queue, findNodeInfos }: MirrorParts,
) {
  const { api, clock, follow } = role
  const csiNodes = follow(CSI_NODES, { indexes: { [BY_DRIVER]: (node) => [...namesOf(driversOfCsiNode(node))] } })
  const csiDrivers = follow(CSI_DRIVERS)
  const originals = follow(ALPHA_CSI_DRIVERS, { indexes: { [BY_DRIVER]: (alpha) => [driverNamedBy(alpha)] } })

  const see = (driver: string): DriverView['seen'] => {
    const claims = originals
      .byIndex(BY_DRIVER, driver)
      .map((alpha) => originals.get(alpha.metadata.name ?? '') ?? alpha)
    const nodes = [...csiNodes.byIndex(BY_DRIVER, driver), ...findNodeInfos(driver)]
    return {
      driver,
      claims,
      csiDriver: csiDrivers.get(driver),
      nodes: new Set(nodes.map(({ metadata }) => metadata.name)).size,
    }
  }
  const restMs = (sinceMs: number, periodMs: number): number => sinceMs + periodMs - clock.monotonicMs()
  const change = createChange(role)

  return defineController<DriverView, DriverStep, Memory>({
    name: 'registry-drivers',
    queue,
    watch: [
      on(originals, ({ before, after: now }) => [
        ...(before ? [driverNamedBy(before)] : []),
        ...(now ? [driverNamedBy(now)] : []),
      ]),
      on(csiDrivers, ({ key }) => key),
      // Nodes report often; only the names of their drivers matter here.
      on(csiNodes, ({ before, after: now }) => changedNames(driversOfCsiNode(before), driversOfCsiNode(now))),
    ],
    view: (driver, { memory: { countedMs, refusedAs, changed } = {} }) => {
      const seen = see(driver)
      const { chosen } = chooseAlphaDriver(driver, seen.claims)
      const wording = chosen ? wordingOf(chosen) : ''
      return {
        seen,
        gates: config.gates ?? {},
        held: {
          mirrorRestMs: changed?.wording === wording ? restMs(changed.atMs, MIRROR_REST_MS) : 0,
          statusRestMs: countedMs === undefined ? 0 : restMs(countedMs, config.statusIntervalMs),
          refused: chosen !== undefined && refusedAs === wording,
        },
      }
    },
    onView: (pass) => {
      const { seen } = pass.view
      if (seen.claims.length === 0) {
        pass.memory = undefined
        pass.unsay()
      }
      const warnings = findDriverWarnings(seen)
      for (const { about, reason } of warnings)
        pass.say(about, { type: 'Warning', event: reason.code }, formatReason(reason), reason.code)
      if (warnings.length === 0) pass.unsay()
    },
    decide: nextDriverStep,
    perform: {
      create: ({ mirror }, pass) => change(pass, 'create', () => api.create(CSI_DRIVERS, mirror)),
      update: ({ mirror, patch }, pass) =>
        change(pass, 'update', () => api.patch(CSI_DRIVERS, refOf(mirror), { type: 'merge', value: patch })),
      remove: ({ mirror }, pass) => {
        const { uid, resourceVersion } = mirror.metadata
        // Exactly the object that had the mark.
        const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) }
        return change(pass, 'remove', () => api.delete(CSI_DRIVERS, refOf(mirror), { preconditions }))
      },
      count: async ({ original, nodes }, pass) => {
        pass.memory = { ...pass.memory, countedMs: clock.monotonicMs() }
        const patch = { type: 'merge', value: { status: { nodes } } } as const
        // Gone with its object or with its whole kind: there is nothing left to write to.
        await api.patch(ALPHA_CSI_DRIVERS, refOf(original), patch, { subresource: 'status' }).catch(ignoreNotFound)
        return DONE
      },
    },
  })
}

/** One write of the mirror, and what its failure means. */
const createChange =
  ({ clock, events }: ControllerRole) =>
  async (pass: DriverPass, kind: DriverStep['kind'], write: () => Promise<unknown>): Promise<StepOutcome> => {
    const { chosen } = chooseAlphaDriver(pass.key, pass.view.seen.claims)
    if (chosen && kind !== 'create')
      pass.memory = { ...pass.memory, changed: { wording: wordingOf(chosen), atMs: clock.monotonicMs() } }
    try {
      await write()
    } catch (error) {
      // It was created or deleted meanwhile: the watch brings the key back.
      if (isAlreadyExists(error) || isNotFound(error)) return DONE
      if (!isInvalid(error) || !chosen) throw error
      // A retry can't help before the object changes. The number of nodes still has to be checked.
      pass.memory = { ...pass.memory, refusedAs: wordingOf(chosen) }
      const reason = REASONS.refusedByServer(error.message)
      events.record(chosen, 'Warning', reason.code, formatReason(reason))
      return after(0)
    }
    pass.log.info('mirror of a driver changed', { driver: pass.key, change: kind })
    return DONE
  }

// Everything that a mirror is made from. An annotation does not change the generation.
const wordingOf = (original: AlphaCSIDriver): string =>
  JSON.stringify([original.metadata.uid, original.metadata.generation, mirroredAnnotations(original)])
