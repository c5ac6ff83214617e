import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { ignoreNotFound } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { CSI_DRIVERS } from '../../../api/kinds/csi-driver.ts'
import { NODES } from '../../../api/kinds/node.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { SECRETS } from '../../../api/kinds/secret.ts'
import { SERVICE_ACCOUNTS } from '../../../api/kinds/service-account.ts'
import { nodeUser } from '../../../apiserver/authorization/node-identity.ts'
import { createSimulatedHost, hostThrough, makeDirectories } from '../../../base/host/index.ts'
import type { SimulatedHost } from '../../../base/host/index.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { createSeededRandom } from '../../../base/random.ts'
import { createInformers } from '../../../kube/cache/informers.ts'
import { startSimulation } from '../../../testing/index.ts'
import type {
  ProcessBody,
  ProcessWorld,
  SimulatedProcess,
  Simulation,
  SimulationOptions,
} from '../../../testing/index.ts'
import { createOn, nodeOf } from '../../../testing/objects.ts'
import { attach, bindVolume, createPod, deletePod, nameInUse, NODE, ROOT } from './describe-volumes.ts'
import { DEFAULT_VOLUMES, startVolumeManager } from '../index.ts'
import type { RunningVolumeManager } from '../index.ts'
import { createLedger, createTestDriverStore, DRIVER } from './ledger-driver.ts'
import type { Ledger, LedgerFeatures } from './ledger-driver.ts'

/** The agent as a process that can be killed, on a machine and with a driver that survive. */
export type CrashWorld = {
  simulation: Simulation
  process: SimulatedProcess
  ledger: Ledger
  machine: SimulatedHost
  api: Api
}

export async function openCrashWorld(options: SimulationOptions, features: LedgerFeatures = {}): Promise<CrashWorld> {
  const simulation = await startSimulation(options)
  const { api } = simulation
  const machine = createSimulatedHost({ random: createSeededRandom(options.seed) })
  await makeDirectories(machine.files, ROOT)
  await makeDirectories(machine.files, '/content')
  const ledger = createLedger(machine, features)
  await createOn(api, NODES, nodeOf(NODE))
  await api
    .create(SERVICE_ACCOUNTS, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { namespace: 'default', name: 'default' },
    })
    .catch(() => {})
  await api.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: DRIVER },
    spec: { attachRequired: true, fsGroupPolicy: 'File' },
  })
  // Every volume that may be mounted is reported in use, and can be found again.
  ledger.before = async (call) => {
    const [rpc = '', volumeId = ''] = call.split(' ')
    // It changes nothing, and the volume may be unmounted meanwhile.
    if (rpc === 'stats') return
    const { status } = await api.get(NODES, { name: NODE })
    if (!status?.volumesInUse?.includes(nameInUse(volumeId.slice(2))))
      ledger.violations.push(`${call} while the volume is not said to be in use`)
    const isWritten = machine
      .snapshotTree()
      .some(
        ({ path }) =>
          path.startsWith(`${ROOT}/${rpc.includes('stage') ? 'plugins' : 'pods'}/`) && path.endsWith('vol_data.json'),
      )
    if (!isWritten) ledger.violations.push(`${call} without a file that says so`)
  }
  const process = await simulation.startProcess('agent', (world) => runAgent(world, machine, ledger))
  await simulation.settled()
  return { simulation, process, ledger, machine, api }
}

async function runAgent(world: ProcessWorld, machine: SimulatedHost, ledger: Ledger): Promise<ProcessBody> {
  const { clock, random, life } = world
  const log = createSilentLogger()
  const api = world.api(nodeUser(NODE))
  const store = createTestDriverStore()
  const driver = ledger.driver(clock)
  store.register(DRIVER, world.driver({ current: () => driver, restart: () => Promise.resolve() }))
  const informers = createInformers({ api, clock, random, log })
  let manager: RunningVolumeManager | undefined
  const begin = async (): Promise<void> => {
    try {
      manager = await startVolumeManager(
        DEFAULT_VOLUMES,
        {
          host: hostThrough(machine, (act) => life.call(act)),
          clock,
          random,
          log,
          api,
          informers,
          nodeName: NODE,
          rootDir: ROOT,
          drivers: store,
        },
        new AbortController().signal,
      )
    } catch (error) {
      if (!life.isOver()) throw error
    }
  }
  void begin()
  return { isIdle: () => manager?.isIdle() ?? false, stop: async () => await manager?.stop() }
}

export type Crash = {
  phase: 'mount' | 'unmount'
  at: number
  when: 'before' | 'after'
  meanwhile: 'nothing' | 'pod gone' | 'reboot' | 'reboot, pod gone'
}

/** Kills the agent at one step since the start of a phase; false if it takes fewer steps. */
export async function runCrash({ phase, at, when, meanwhile }: Crash): Promise<boolean> {
  const world = await openCrashWorld({ seed: at })
  const { simulation, process, api, machine, ledger } = world
  const story = (): string =>
    `${phase} ${when} ${at}, ${meanwhile}\n${simulation.transcript.text()}\n${ledger.calls.join('\n')}\n${placesOf(machine).join('\n')}`
  try {
    await api.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'default', name: 'pass' },
      stringData: { key: 'open sesame' },
    })
    await bindVolume(api, 'a', { source: { nodeStageSecretRef: { namespace: 'default', name: 'pass' } } })
    await attach(api, 'a')
    await simulation.settled()
    if (phase === 'mount') process.killAtCall(at, when)
    await createPod(api, 'a')
    await simulation.settled()
    if (phase === 'unmount') {
      process.killAtCall(at, when)
      await deletePod(api, 'a')
      await simulation.settled()
    }
    const killed = !process.isRunning()
    if (!killed) process.kill()
    if (meanwhile.includes('pod gone'))
      await api.delete(PODS, { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 }).catch(ignoreNotFound)
    if (meanwhile.includes('reboot')) {
      machine.losePower()
      ledger.staged.clear()
      ledger.published.clear()
    }
    await process.restart()
    await simulation.settled()
    await simulation.advance(300_000)

    const pod = await api.get(PODS, { namespace: 'default', name: 'a' }).catch(ignoreNotFound)
    const isWanted = phase === 'mount' && !meanwhile.includes('pod gone')
    equal(pod?.status?.phase, isWanted ? 'Running' : undefined, story())
    if (isWanted) {
      deepEqual([...ledger.published.values()], ['h-a'], story())
      deepEqual(
        (await machine.mounts.list()).map(({ target }) => target).filter((target) => target.startsWith(`${ROOT}/pods`)),
        [...ledger.published.keys()],
        story(),
      )
      await deletePod(api, 'a')
      await simulation.settled()
      await simulation.advance(300_000)
    }
    await assertQuiet(world, story)
    return killed
  } finally {
    await simulation.stop()
  }
}

/** No volume is needed: nothing is mounted, on the disk, in use, or with the driver. */
export async function assertQuiet({ api, ledger, machine }: CrashWorld, story: () => string): Promise<void> {
  deepEqual(ledger.violations, [], story())
  deepEqual([...ledger.published], [], story())
  deepEqual([...ledger.staged], [], story())
  deepEqual(placesOf(machine), [], story())
  deepEqual(
    (await machine.mounts.list()).map(({ target }) => target).filter((target) => target.startsWith(ROOT)),
    [],
    story(),
  )
  deepEqual((await api.get(NODES, { name: NODE })).status?.volumesInUse ?? [], [], story())
}

/** Directories and files of pods and volumes. */
export const placesOf = (machine: SimulatedHost): string[] =>
  machine
    .snapshotTree()
    .map(({ path }) => path)
    .filter(
      (path) => path.startsWith(`${ROOT}/pods/`) || path.startsWith(`${ROOT}/plugins/kubernetes.io/csi/${DRIVER}/`),
    )

/** Kills it at each step, or at every so many; before and after each step, or in turn. */
export function describeCrashes(meanwhiles: readonly Crash['meanwhile'][], { stride }: { stride: number }): void {
  for (const phase of ['mount', 'unmount'] as const) {
    for (const meanwhile of meanwhiles) {
      test(`I1, I2, I4, I5, I6: killed at step after step of a ${phase} and started again, it leaves nothing behind (meanwhile: ${meanwhile})`, async () => {
        let at = 1
        for (; ; at += stride) {
          // After a step that fails it is not killed; before one it is, as long as there is one.
          const isKilledAfter =
            (stride === 1 || at % 2 === 0) && (await runCrash({ phase, at, when: 'after', meanwhile }))
          if ((stride === 1 || !isKilledAfter) && !(await runCrash({ phase, at, when: 'before', meanwhile }))) break
        }
        // Reads, files, calls and writes: otherwise nothing was tested.
        ok(at > 20, `only ${at} steps`)
      })
    }
  }
}
