import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { nodeUser } from '../../apiserver/authorization/node-identity.ts'
import type { User } from '../../apiserver/core/user.ts'
import { applyManifest } from '../../apiserver/testing/apply-manifest.ts'
import { SIDECAR_USER } from '../../apiserver/testing/shipped-identity.ts'
import { openTestCore } from '../../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../../apiserver/testing/open-test-core.ts'
import { createSimulatedHost, makeDirectories } from '../../base/host/index.ts'
import type { Host, SimulatedHost } from '../../base/host/index.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { defaultsOf } from '../../base/options/index.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createSimulatedSockets } from '../../csi/index.ts'
import type { CallObserver } from '../../csi/index.ts'
import { createLockTable } from '../../csi/kit/index.ts'
import { createHostpathDriver, openHostpath } from '../../drivers/hostpath/index.ts'
import type { VolumeConfig } from '../../node/index.ts'
import { attacherOptions } from '../../sidecars/attacher/index.ts'
import { attacherRole } from '../../sidecars/attacher-role.ts'
import { provisionerOptions } from '../../sidecars/provisioner/index.ts'
import { provisionerRole } from '../../sidecars/provisioner-role.ts'
import { runSidecar } from '../../sidecars/run-sidecar.ts'
import { standardOptions } from '../../sidecars/standard-options.ts'
import { nodesOf } from '../cluster-options.ts'
import type { StartedPart } from '../cluster-options.ts'
import { startControllers } from '../start-controllers.ts'
import { registerDriver, startAgent } from '../start-nodes.ts'
import { moveUntilDone } from '../start-simulated-cluster.ts'
import { timedOut } from '../why.ts'

// A cluster in memory whose parts are started and stopped one by one, each with its own identity: sidecars with the rights of the shipped
// manifests, node agents with those of nodes. What each part asks of the server and of drivers is on record.

export const CONTROLLERS: User = { name: 'controllers', groups: ['system:masters', 'system:authenticated'] }

const DATA = '/cluster'

export type ObservedCall = {
  readonly by: string
  readonly driver: string
  readonly method: string
  readonly request: unknown
}

export type SeparateParts = TestCore & {
  readonly machine: SimulatedHost
  /** `system:node:node-1 create serviceaccounts/token`, in order; without those of the test itself. */
  readonly requests: readonly string[]
  /** Who called which driver, in order. */
  readonly calls: readonly ObservedCall[]
  /** How often somebody opened a connection to a driver: `sidecars a.example.com`. */
  readonly connections: readonly string[]
  startControllers(): Promise<StartedPart>
  startSidecar(driver: string): Promise<StartedPart>
  /** The agent, with the registrars of all drivers on it. */
  startNode(name: string, volumes?: Partial<VolumeConfig>): Promise<StartedPart>
  stop(part: StartedPart): Promise<void>
  advance(byMs: number): Promise<void>
  /** Rejects when it does not come true within a minute of the cluster's time. */
  until(what: string, holds: () => boolean | Promise<boolean>): Promise<void>
}

export type SeparatePartsOptions = { drivers: readonly string[]; nodes?: number }

export async function openSeparateParts(
  context: TestContext,
  { drivers, nodes: count = 1 }: SeparatePartsOptions,
): Promise<SeparateParts> {
  const requests: string[] = []
  const calls: ObservedCall[] = []
  const connections: string[] = []
  const core = await openTestCore(context, {
    observe: ({ attributes }) => {
      if (attributes.isResource && attributes.user.name !== 'system:apiserver')
        requests.push(
          `${attributes.user.name} ${attributes.verb} ${attributes.resource}${attributes.subresource ? `/${attributes.subresource}` : ''}`,
        )
    },
  })
  const { api, clock, server } = core
  await applyManifest(api, 'examples/sidecar/rbac.yaml')
  const [random, log] = [createSeededRandom(3), createSilentLogger()]
  const machine = createSimulatedHost({ random, nowMs: () => clock.nowMs() })
  const sockets = createSimulatedSockets(machine)({ clock })
  const parts = { host: machine, sockets, clock, random, log, version: 'test' }
  const nodes = nodesOf({ dataDirectory: DATA, nodes: count })

  const follow = (by: string, driver: string): CallObserver => {
    connections.push(`${by} ${driver}`)
    return ({ rpc, request }) => void calls.push({ by, driver, method: rpc.name, request })
  }
  const endpointOf = (driver: string, node: string): string => join(DATA, node, 'plugins', driver, 'csi.sock')
  for (const driver of drivers) {
    const hostpath = await openHostpath({ root: join(DATA, 'volumes', driver), host: machine, clock, random, log })
    const locks = createLockTable()
    for (const { name: id } of nodes) {
      const endpoint = endpointOf(driver, id)
      await makeDirectories(machine.files, join(endpoint, '..'))
      const { server: dispatcher } = await createHostpathDriver({
        hostpath,
        node: { id, topology: {}, attachLimit: 0 },
        name: driver,
        version: '1',
        attach: true,
        publish: 'auto',
        locks,
      })
      await sockets.serve(endpoint, dispatcher)
    }
  }

  const running = new Set<StartedPart>()
  const run = <T>(work: Promise<T>): Promise<T> => moveUntilDone(clock, work)
  const started = async (part: Promise<StartedPart>): Promise<StartedPart> => {
    const one = await run(part)
    running.add(one)
    return one
  }
  const stop = async (part: StartedPart): Promise<void> => {
    if (running.delete(part)) await run(part.stop())
  }
  context.after(async () => {
    for (const part of [...running].reverse()) await stop(part)
  })

  const startOneSidecar = async (driver: string): Promise<StartedPart> => {
    const attacher = defaultsOf(attacherOptions)
    const place = { namespace: 'default', hostname: `pod-of-${driver}` }
    const own = server.core.as(SIDECAR_USER)
    const sidecar = await runSidecar(
      [
        provisionerRole({ ...defaultsOf(provisionerOptions), attacherFinalizer: true }, place, random),
        attacherRole(attacher),
      ],
      {
        config: defaultsOf(standardOptions),
        callTimeoutMs: attacher.timeoutMs,
        connect: (observe) => {
          const record = follow('sidecars', driver)
          return sockets.connectDriver(endpointOf(driver, 'node-1'), {
            observe: (call) => (observe(call), record(call)),
          })
        },
        api: own,
        electionApi: own,
        identity: place.hostname,
        namespace: place.namespace,
        clock,
        random,
        log,
      },
    )
    await sidecar.ready
    return { name: `sidecars of ${driver}`, detail: '', stop: () => sidecar.stop() }
  }
  const startOneNode = async (name: string, volumes: Partial<VolumeConfig> = {}): Promise<StartedPart> => {
    const node = nodes.find((each) => each.name === name)
    if (!node) throw new Error(`there is no ${name}`)
    await makeDirectories(machine.files, node.rootDir)
    const own = drivers.map((driverName) => ({
      driverName,
      node: name,
      endpoint: `unix://${endpointOf(driverName, name)}`,
    }))
    const registrars: StartedPart[] = []
    for (const driver of own) registrars.push(await registerDriver(parts, node, driver))
    const observing = {
      ...parts,
      sockets: {
        ...sockets,
        connectDriver: (endpoint: string) =>
          sockets.connectDriver(endpoint, { observe: follow(name, driverAt(endpoint)) }),
      },
    }
    const agent = await startAgent(observing, node, {
      apiOf: (one) => server.core.as(nodeUser(one)),
      drivers: own,
      volumes,
      gates: volumes.gates ?? {},
    })
    const stopAll = async (): Promise<void> => {
      await agent.stop()
      for (const registrar of registrars) await registrar.stop()
    }
    return { ...agent, stop: stopAll }
  }
  const until: SeparateParts['until'] = async (what, holds) => {
    const endMs = clock.monotonicMs() + 60_000
    for (let turns = 0; !(await holds()); turns++) {
      if (clock.monotonicMs() >= endMs) throw await timedOut(core.api, { what, limitMs: 60_000 })
      await clock.advance(turns < 100 ? 0 : 50)
    }
  }
  return {
    ...core,
    machine,
    requests,
    calls,
    connections,
    // Whatever it tries to reach on the machine fails.
    startControllers: () =>
      started(
        startControllers({ clock, random, log, version: 'test', host: UNREACHABLE_HOST }, server.core.as(CONTROLLERS)),
      ),
    startSidecar: (driver) => started(startOneSidecar(driver)),
    startNode: (name, volumes) => started(startOneNode(name, volumes)),
    stop,
    advance: (byMs) => clock.advance(byMs),
    until,
  }
}

const UNREACHABLE_HOST: Host = new Proxy({} as Host, {
  get: (_, part) => {
    throw new Error(`the control plane has no business on the machine: ${String(part)}`)
  },
})

/** `/cluster/node-1/plugins/a.example.com/csi.sock`. */
const driverAt = (endpoint: string): string => endpoint.split('/').at(-2) ?? ''
