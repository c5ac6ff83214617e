import { makeDirectories } from '../base/host/index.ts'
import { startWhole } from '../base/stops.ts'
import { createChangeSource } from '../kube/controller/index.ts'
import { createEventRecorder } from '../kube/controller/event-recorder.ts'
import { createInformers } from '../kube/cache/informers.ts'
import { startRegistration } from './registration/index.ts'
import type { RegistrationConfig, RegistrationParts, RunningRegistration } from './registration/index.ts'
import { REPORT_REASONS, startNodeReport } from './report/index.ts'
import type { NodeDescription, NodeReportConfig } from './report/index.ts'
import { startVolumeManager } from './volumes/index.ts'
import type { RunningVolumeManager, VolumeConfig } from './volumes/index.ts'

export type NodeConfig = {
  readonly name: string
  /** The directory of all files of the agent: pods, plugins, their sockets. */
  readonly rootDir: string
  readonly description: NodeDescription
  readonly registration: RegistrationConfig
  readonly volumes: VolumeConfig
  readonly report: NodeReportConfig
}

/** `api` acts as the node: `system:node:NAME`. It needs no more than a node may. */
export type NodeParts = Omit<RegistrationParts, 'informers' | 'events' | 'nodeName' | 'rootDir'>

export interface RunningNode {
  readonly name: string
  readonly registration: RunningRegistration
  readonly volumes: RunningVolumeManager
  isIdle(): boolean
  /** Leaves everything mounted and published: the next agent continues from there. */
  stop(): Promise<void>
}

/** The storage half of a node agent. Resolves once it has read its disk, whatever the state of the API server. */
export const startNode = (config: NodeConfig, parts: NodeParts, signal: AbortSignal): Promise<RunningNode> =>
  startWhole(async (stops) => {
    const { name: nodeName, rootDir, description } = config
    const { api, clock, random, host } = parts
    const log = parts.log.with({ node: nodeName })
    for (const directory of ['pods', 'plugins', 'plugins_registry'])
      await makeDirectories(host.files, `${rootDir}/${directory}`)
    const informers = createInformers({ api, clock, random, log })
    stops.onStop(informers.stop)
    const events = createEventRecorder({ api, clock, log, component: 'holdfast-node', host: nodeName })
    const tracer = parts.tracer?.as(nodeName)
    const shared = { ...parts, tracer, log, informers, events, nodeName, rootDir }
    const registration = await startRegistration(config.registration, shared, signal)
    stops.onStop(registration.stop)
    const obstacleChanges = createChangeSource<void>()
    const volumeParts = { ...shared, drivers: registration.drivers, onBegun: obstacleChanges.tell }
    const volumes = await startVolumeManager(config.volumes, volumeParts, signal)
    stops.onStop(volumes.stop)
    // Last, so that no pod is placed here before its volumes can be mounted. Nothing before it needs the Node to exist.
    const obstacle = () => (volumes.hasBegun() ? undefined : REPORT_REASONS.PodsNotKnown)
    const reporting = await startNodeReport(
      config.report,
      { ...shared, description, obstacle, obstacleChanges },
      signal,
    )
    stops.onStop(reporting.stop)
    const isIdle = () => registration.isIdle() && volumes.isIdle() && reporting.isIdle()
    return { name: nodeName, registration, volumes, isIdle, stop: stops.run }
  })
