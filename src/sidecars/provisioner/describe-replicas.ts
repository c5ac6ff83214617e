import { sleep } from '../../base/clock.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createEventRecorder } from '../../kube/event-recorder.ts'
import { createInformers } from '../../kube/informers.ts'
import { startLeaderElection } from '../../kube/leader-election.ts'
import { fenceApi } from '../../kube/process/fence-api.ts'
import { untilAborted } from '../../kube/process/leadership-term.ts'
import { superviseRole } from '../../kube/process/supervise-role.ts'
import type { SupervisedRole } from '../../kube/process/supervise-role.ts'
import type { ProcessBody, ProcessWorld } from '../../simulation/index.ts'
import { discoverDriver } from '../discover-driver.ts'
import { fenceDriver } from '../fence-driver.ts'
import type { RunningRole } from '../role.ts'
import { DRIVER, PLACE } from './describe-provisioner.ts'
import type { ScriptedDriver } from './describe-provisioner.ts'
import type { ProvisionerConfig } from './provisioner-options.ts'
import { startProvisioner } from './start-provisioner.ts'

/**
 * The provisioner as a replica of a deployment has it: it works while it leads, fenced off when it does not, and begins anew with the caches
 * that it has whenever the driver was started anew.
 */
export async function runReplica(world: ProcessWorld, hostname: string, script: ScriptedDriver, config: ProvisionerConfig): Promise<ProcessBody> {
  const { clock, random, life } = world
  const log = createSilentLogger()
  const api = world.api()
  let session = new AbortController()
  const loseDriver = (): Promise<void> => {
    session.abort(new Error('the connection to the driver is lost'))
    return Promise.resolve()
  }
  const driver = world.driver({ current: () => script.driver, restart: loseDriver })
  const informers = createInformers({ api, clock, random, log })
  const events = createEventRecorder({ api, clock, log, component: 'provisioner' })
  let running: RunningRole | undefined
  let supervised: SupervisedRole | undefined

  const campaign = () => startLeaderElection({ api, clock, random, log, namespace: PLACE.namespace, name: DRIVER, identity: hostname })
  const serve = async (signal: AbortSignal): Promise<void> => {
    const facts = await discoverDriver(driver, { clock, log, timeoutMs: 10_000, signal })
    supervised = superviseRole({
      name: 'provisioner',
      leadership: { kind: 'own', campaign },
      onState: ({ kind }) => (running = kind === 'working' ? running : undefined),
      start: async (ending, fence) => {
        const parts = { api: fenceApi(api, fence), driver: fenceDriver(driver, fence), clock, random, log, informers, events, facts, place: { ...PLACE, hostname } }
        const role = await startProvisioner(config, parts, ending)
        running = role
        return role
      },
      clock,
      random,
      log,
    })
    await untilAborted(signal)
    await supervised.stop()
  }
  const follow = async (): Promise<void> => {
    while (!life.isOver()) {
      session = new AbortController()
      await serve(session.signal).catch(() => {})
      if (!life.isOver()) await sleep(clock, 1000)
    }
  }
  void follow()
  // What starts or stops moves by itself, or with time.
  return { isIdle: () => running?.isIdle() ?? true, stop: async () => await supervised?.stop() }
}
