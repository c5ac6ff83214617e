import { ignoreNotFound, isAlreadyExists, isInvalid, isNotFound } from '../../api/api-error.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import { formatReason } from '../../api/reason.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { BackoffOptions } from '../../base/backoff.ts'
import { ALPHA_CSI_NODE_INFO_CRD } from '../../compat/alpha-crds.ts'
import { ALPHA_CSI_DRIVERS, driverNamedBy } from '../../compat/alpha-csi-driver.ts'
import type { AlphaCSIDriver } from '../../compat/alpha-csi-driver.ts'
import { CSI_NODE_INFOS, driversOfCsiNode, driversOfNodeInfo } from '../../compat/alpha-csi-node-info.ts'
import type { RegisteredDriver } from '../../compat/alpha-csi-node-info.ts'
import { chooseAlphaDriver } from '../../compat/choose-alpha-driver.ts'
import { mirroredAnnotations } from '../../compat/mirror-csi-driver.ts'
import { after, defineController, deleteAsSeen, DONE, on } from '../../kube/controller/index.ts'
import type { ControllerRole, FollowedKind, Pass, StepOutcome } from '../../kube/controller/index.ts'
import { findDriverWarnings, nextDriverStep } from './next-driver-step.ts'
import type { DriverStep, DriverView } from './next-driver-step.ts'
import { REASONS } from './reasons.ts'
import type { RegistryConfig } from './registry-options.ts'

const BY_DRIVER = 'registry/driver'
const MIRROR_REST_MS = 60_000

const namesOf = (drivers: readonly RegisteredDriver[]): string[] => drivers.map(({ name }) => name)

/** Of a driver that the registry describes. */
type Memory = {
  readonly countedMs?: number
  /** The content of the object whose mirror the server rejected. */
  readonly refusedAs?: string
  /** The content for which the mirror was last changed, and when. */
  readonly changed?: { readonly wording: string; readonly atMs: number }
}
type DriverPass = Pass<DriverView, Memory, object>

/** Maintains one driver: its mirror, its number of nodes, and the events about its objects. */
export function createDriverMirror(config: RegistryConfig, role: ControllerRole, backoff: BackoffOptions) {
  const { api, clock, follow } = role
  const queue = role.createQueue({ name: 'registry-drivers', lanes: { default: 4 }, backoff })
  const csiNodes = follow(CSI_NODES, { indexes: { [BY_DRIVER]: (node) => namesOf(driversOfCsiNode(node)) } })
  const csiDrivers = follow(CSI_DRIVERS)
  const enqueue = (driver: string): void => queue.add(driver)
  const originals = createLateKind(role, ALPHA_CSI_DRIVERS, (original) => [driverNamedBy(original)], enqueue)
  const nodeInfos = createLateKind(role, CSI_NODE_INFOS, (info) => namesOf(driversOfNodeInfo(info)), enqueue)

  const see = (driver: string): DriverView['seen'] => {
    const claims = originals.ofDriver(driver)
    // Thousands of nodes have the driver, and only an original says how many.
    return { driver, claims, csiDriver: csiDrivers.get(driver), nodes: claims.length === 0 ? 0 : countNodes(driver) }
  }
  const countNodes = (driver: string): number => {
    const nodes = [...csiNodes.byIndex(BY_DRIVER, driver), ...nodeInfos.ofDriver(driver)]
    return new Set(nodes.map(({ metadata }) => metadata.name)).size
  }
  const restMs = (sinceMs: number, periodMs: number): number => sinceMs + periodMs - clock.monotonicMs()
  const change = createChange(role)

  const controller = defineController<DriverView, DriverStep, Memory>({
    name: 'registry-drivers',
    queue,
    watch: [
      on(csiDrivers, ({ key }) => key),
      // Nodes report often; only the names of added and removed drivers matter here.
      on(csiNodes, ({ before, after: now }) =>
        new Set(namesOf(driversOfCsiNode(before))).symmetricDifference(new Set(namesOf(driversOfCsiNode(now)))),
      ),
    ],
    view: (driver, { memory: { countedMs, refusedAs, changed } = {} }) => {
      if (!originals.isSynced()) return undefined
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
    onView: warn,
    decide: nextDriverStep,
    perform: {
      create: ({ mirror }, pass) => change(pass, 'create', () => api.create(CSI_DRIVERS, mirror)),
      update: ({ mirror, patch }, pass) =>
        change(pass, 'update', () => api.patch(CSI_DRIVERS, refOf(mirror), { type: 'merge', value: patch })),
      // Exactly the object that had the mark.
      remove: ({ mirror }, pass) => change(pass, 'remove', () => deleteAsSeen(api, CSI_DRIVERS, mirror)),
      count: async ({ original, nodes }, pass) => {
        pass.memory = { ...pass.memory, countedMs: clock.monotonicMs() }
        const patch = { type: 'merge', value: { status: { nodes } } } as const
        // Deleted with its object or with its whole kind: there is nothing left to write to.
        await api.patch(ALPHA_CSI_DRIVERS, refOf(original), patch, { subresource: 'status' }).catch(ignoreNotFound)
        return DONE
      },
    },
  })
  /** A definition is served: from now on its objects are watched. */
  const onUsable = (definition: string): void => {
    if (definition === ALPHA_CSI_NODE_INFO_CRD.metadata.name) nodeInfos.begin()
    // The original of a mirror may have been deleted while the controller was not running.
    else originals.begin(() => [...csiDrivers.all()].forEach(({ metadata }) => enqueue(metadata.name ?? '')))
  }
  return { controller, onUsable }
}

/** Reports where the cluster does not behave as the objects about a driver specify. A driver without objects is forgotten. */
function warn(pass: DriverPass): void {
  const { seen } = pass.view
  if (seen.claims.length === 0) pass.memory = undefined
  const warnings = findDriverWarnings(seen)
  for (const { about, reason } of warnings)
    pass.say(about, { type: 'Warning', event: reason.code }, formatReason(reason), reason.code)
  if (warnings.length === 0) pass.unsay()
}

/** One write of the mirror, with the handling of failures. */
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
      // A retry cannot help before the object changes. The number of nodes still has to be checked.
      pass.memory = { ...pass.memory, refusedAs: wordingOf(chosen) }
      const reason = REASONS.RefusedByServer(error.message)
      events.record(chosen, 'Warning', reason.code, formatReason(reason))
      return after(0)
    }
    pass.log.info('mirror of a driver changed', { driver: pass.key, change: kind })
    return DONE
  }

// All fields that determine a mirror. An annotation does not change the generation.
const wordingOf = (original: AlphaCSIDriver): string =>
  JSON.stringify([original.metadata.uid, original.metadata.generation, mirroredAnnotations(original)])

/** A kind that is watched once the server has it. A change wakes the drivers that its objects name. */
function createLateKind<T extends KubeObject>(
  role: ControllerRole,
  type: ResourceType<T>,
  driversOf: (object: T) => string[],
  enqueue: (driver: string) => void,
) {
  let kind: FollowedKind<T> | undefined
  role.onIdle(() => kind?.isSynced() ?? true)
  return {
    isSynced: () => kind?.isSynced() ?? false,
    ofDriver: (driver: string): readonly T[] => kind?.byIndex(BY_DRIVER, driver) ?? [],
    /** The server has the kind. */
    begin: (onSynced = (): void => {}): void => {
      if (kind) return
      kind = role.follow(type, { indexes: { [BY_DRIVER]: driversOf } })
      kind.synced(role.signal).then(onSynced, () => {})
      kind.onChange(({ before, after }) => {
        for (const object of [before, after]) if (object) driversOf(object).forEach(enqueue)
      })
    },
  }
}
