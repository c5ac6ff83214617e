import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { NODES } from '../../../api/kinds/node.ts'
import { nodeUser } from '../../../apiserver/authorization/node-identity.ts'
import { CSI_NODE_INFOS } from '../../../compat/alpha-csi-node-info.ts'
import { crashAtEachCall, startSimulation } from '../../../testing/index.ts'
import type { Crash, SimulatedProcess, Simulation, SimulationOptions } from '../../../testing/index.ts'
import { createOn, nodeOf } from '../../../testing/objects.ts'
import { createPluginMachine, DRIVER, findCsiNode, NODE, startOn } from './describe-simulated-node.ts'
import type { PluginMachine } from './describe-simulated-node.ts'
import type { RunningRegistration } from '../index.ts'
import { parseNodeIds } from '../../../storage/node-ids.ts'

export type CrashWorld = {
  simulation: Simulation
  machine: PluginMachine
  process: SimulatedProcess
  registration(): RunningRegistration | undefined
}

/** The node agent's registration as a process that can be killed, on a machine that survives. */
export async function openCrashWorld(options: SimulationOptions): Promise<CrashWorld> {
  const simulation = await startSimulation(options)
  const machine = await createPluginMachine()
  await createOn(simulation.api, NODES, nodeOf(NODE))
  let current: RunningRegistration | undefined
  const process = await simulation.startProcess('node', async ({ clock, random, life, api }) => {
    const started = await startOn(
      {},
      { host: machine.host, clock, random, api: api(nodeUser(NODE)) },
      machine,
      (call) => life.call(call),
    )
    current = started.registration
    return { isIdle: () => started.registration.isIdle(), stop: started.stop }
  })
  return { simulation, machine, process, registration: () => current }
}

/** The published drivers are the registered ones, or none. */
export async function assertPublished(
  { simulation, registration }: CrashWorld,
  nodeId: string | undefined,
): Promise<void> {
  const { api, transcript } = simulation
  const story = `\n${transcript.text()}`
  const csiNode = await findCsiNode(api)
  deepEqual(
    (csiNode?.spec.drivers ?? []).map(({ name, nodeID }) => [name, nodeID]),
    nodeId === undefined ? [] : [[DRIVER, nodeId]],
    `CSINode${story}`,
  )
  const node = await api.get(NODES, { name: NODE })
  deepEqual(
    Object.fromEntries(parseNodeIds(node) ?? []),
    nodeId === undefined ? {} : { [DRIVER]: nodeId },
    `annotation${story}`,
  )
  const infos = (await api.list(CSI_NODE_INFOS)).items.flatMap(({ csiDrivers }) => csiDrivers ?? [])
  deepEqual(
    infos.map(({ nodeID }) => nodeID),
    nodeId === undefined ? [] : [nodeId],
    `CSINodeInfo${story}`,
  )
  equal(registration()?.drivers.find(DRIVER)?.facts?.nodeId, nodeId, `store${story}`)
  if (csiNode)
    deepEqual(
      csiNode.metadata.ownerReferences?.map(({ uid }) => uid),
      [node.metadata.uid],
      `owner${story}`,
    )
}

export type RegistrationCrash = Crash & { phase: 'register' | 'change' | 'unregister' }

/** Kills the agent at one of its calls since the start of a phase; false if it makes fewer. */
export async function runCrash({ phase, at, when }: RegistrationCrash): Promise<boolean> {
  const world = await openCrashWorld({ seed: 1 })
  const { simulation, machine, process } = world
  try {
    await simulation.settled()
    if (phase !== 'register') {
      machine.install()
      await simulation.settled()
      await assertPublished(world, 'id-1')
    }
    process.killAtCall(at, when)
    if (phase === 'change')
      machine.nodeInfo = () =>
        Promise.resolve({ nodeId: 'id-2', accessibleTopology: { segments: { 'example.com/rack': 'r' } } })
    if (phase === 'unregister') await machine.removeRegistrar()
    else machine.install()
    // Long enough for the grace of a socket that has gone, short of the next look at everything.
    await simulation.advance(30_000)
    const killed = !process.isRunning()
    if (killed) await process.restart()
    await simulation.advance(60_000)
    await assertPublished(world, { register: 'id-1', change: 'id-2', unregister: undefined }[phase])
    if (phase !== 'unregister') equal(machine.told.at(-1), 'registered', simulation.transcript.text())
    return killed
  } finally {
    await simulation.stop()
  }
}

/** One test for each phase, with a crash at every call. */
export function describeCrashes(): void {
  const requirements = { register: 'S3-14, S3-20, H22', change: 'S3-17, H20', unregister: 'S3-19, S3-23' } as const
  for (const phase of ['register', 'change', 'unregister'] as const) {
    test(`${requirements[phase]}: killed before and after each call of the phase ${phase} and started again, API and drivers agree`, () =>
      // At least three objects: otherwise nothing was tested.
      crashAtEachCall((crash) => runCrash({ phase, ...crash }), 3))
  }
}
