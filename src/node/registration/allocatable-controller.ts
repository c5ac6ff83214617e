import { ignoreNotFound } from '../../api/api-error.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { codeNumber } from '../../csi/codes.ts'
import { defineController, on } from '../../kube/controller/index.ts'
import type { Pass } from '../../kube/controller/index.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import { parseUniqueVolumeName } from '../../storage/unique-volume-name.ts'
import { nextAllocatableStep } from './next-allocatable-step.ts'
import type { AllocatableStep, AllocatableView } from './next-allocatable-step.ts'
import { readNodeFacts } from './node-facts.ts'
import type { RegistrationContext } from './registration-context.ts'

/** `answered`: failures of attachments after which the driver was asked already. */
type Memory = Readonly<{ periodMs: number; dueAtMs: number; lookAtMs: number; answered: readonly string[] }>
type View = AllocatableView & { readonly periodMs: number }

// The server rejects a shorter period, but an object from another server may have it.
const SHORTEST_SECONDS = 10
const LOOK_MS = 10_000
const NODE_IS_FULL = codeNumber('RESOURCE_EXHAUSTED')

/**
 * Asks drivers for the node's volume limit, if their CSIDriver object requests it: periodically, and when attaching has failed because the node is
 * full. The scheduler then finds the new limit in CSINode.
 */
export function defineAllocatable(context: RegistrationContext) {
  const { api, clock, store, nodeName } = context
  const csiDrivers = context.follow(CSI_DRIVERS, { isAwaited: false })
  const nodes = context.follow(NODES, { scope: { fieldSelector: `metadata.name=${nodeName}` }, isAwaited: false })
  const drivers = (): string[] => store.all().map(({ name }) => name)

  const planFrom = (nowMs: number, periodMs: number, answered: readonly string[] = []): Memory => ({
    periodMs,
    dueAtMs: nowMs + periodMs,
    lookAtMs: nowMs + LOOK_MS,
    answered,
  })
  const refresh = async (pass: Pass<View, Memory>, answered = pass.memory?.answered): Promise<void> => {
    await refreshAllocatable(pass.key, context).catch((error: unknown) =>
      pass.log.warn('failed to read the volume limit of the driver', { error }),
    )
    pass.memory = planFrom(clock.monotonicMs(), pass.view.periodMs, answered)
  }
  /** Each failure because the node is full, with its time: another try that fails is another failure. */
  const findFailures = async (names: readonly string[]): Promise<string[]> => {
    const read = names.map((name) => api.get(VOLUME_ATTACHMENTS, { name }).catch(ignoreNotFound))
    return (await Promise.all(read)).flatMap((attachment) => {
      const { errorCode, time = '' } = attachment?.status?.attachError ?? {}
      return errorCode === NODE_IS_FULL ? [`${attachment?.metadata.name} ${time}`] : []
    })
  }
  return defineController<View, AllocatableStep, Memory>({
    name: 'node-allocatable',
    watch: [
      on(csiDrivers, ({ key }) => key),
      (enqueue) => store.onChange(enqueue),
      on(nodes, ({ before, after }) => (isEqualJson(volumesOf(before), volumesOf(after)) ? undefined : drivers())),
    ],
    view: (name, { memory }) => {
      const seconds = store.find(name) && csiDrivers.get(name)?.spec.nodeAllocatableUpdatePeriodSeconds
      if (!seconds) return undefined
      const periodMs = Math.max(seconds, SHORTEST_SECONDS) * 1000
      const nowMs = clock.monotonicMs()
      const lookInMs = memory && memory.lookAtMs - nowMs
      return {
        periodMs,
        dueInMs: memory?.periodMs === periodMs ? memory.dueAtMs - nowMs : undefined,
        waiting: findWaiting(nodes.get(nodeName), name),
        // A time that is long past was planned for volumes that have been attached since.
        lookInMs: lookInMs === undefined || lookInMs < -LOOK_MS ? undefined : lookInMs,
      }
    },
    decide: nextAllocatableStep,
    perform: {
      plan: (_step, pass) => {
        const [nowMs, { periodMs, dueInMs }] = [clock.monotonicMs(), pass.view]
        const planned = planFrom(nowMs, periodMs, pass.memory?.answered)
        pass.memory = dueInMs === undefined ? planned : { ...planned, dueAtMs: nowMs + dueInMs }
      },
      refresh: (_step, pass) => refresh(pass),
      look: async ({ attachments }, pass) => {
        const failures = await findFailures(attachments)
        const answered = pass.memory?.answered ?? []
        if (failures.some((failure) => !answered.includes(failure))) return refresh(pass, failures)
        if (pass.memory) pass.memory = { ...pass.memory, answered: failures, lookAtMs: clock.monotonicMs() + LOOK_MS }
      },
    },
  })
}

/** Asks the driver how many volumes the node can have, and has it published. */
async function refreshAllocatable(name: string, context: RegistrationContext): Promise<void> {
  const { store } = context
  const [driver, socket] = [store.find(name), store.servingSocket(name)]
  if (!driver?.facts || !socket) return
  const { facts } = driver
  const { maxVolumes } = await readNodeFacts(name, driver.driver, context, context.signal)
  // Only the limit: anything else that differs has to wait for the next registration.
  if (store.get(socket)?.facts === facts && facts.maxVolumes !== maxVolumes)
    store.change(socket, { facts: { ...facts, maxVolumes } })
}

const volumesOf = (node: Node | undefined): object => ({
  inUse: node?.status?.volumesInUse ?? [],
  attached: node?.status?.volumesAttached ?? [],
})

/** The node reports a volume in use before the volume is attached. */
function findWaiting(node: Node | undefined, driver: string): string[] {
  const attached = new Set(node?.status?.volumesAttached?.map(({ name }) => name))
  return (node?.status?.volumesInUse ?? []).flatMap((uniqueName) => {
    const volume = attached.has(uniqueName) ? undefined : parseUniqueVolumeName(uniqueName)
    return volume?.driver === driver ? [attachmentName({ ...volume, nodeName: node?.metadata.name ?? '' })] : []
  })
}
