import { isDeepStrictEqual } from 'node:util'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { on, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole, FollowedKind } from '../../kube/controller/index.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import type { SidecarRole, StartRole } from '../role.ts'
import { componentOf } from './event-texts.ts'
import { readEarlierEvents } from './earlier-events.ts'
import type { EarlierEvents } from './earlier-events.ts'
import { findHealthCalls } from './health-calls.ts'
import type { Finding } from './health-calls.ts'
import { defineHealthController } from './health-controller.ts'
import type { HealthMonitorConfig } from './health-monitor-options.ts'
import { readHealthView } from './health-view.ts'
import type { HealthView } from './health-view.ts'
import { defineNodeController } from './node-controller.ts'
import { claimUsersOf, nodeStateOf } from './node-view.ts'
import { defineSurveyController } from './survey-controller.ts'

const BY_NODE = 'health-monitor/node'

/** The external health monitor: reports on claims that their volumes are abnormal or their pods on failed nodes. */
export const startHealthMonitor: StartRole<HealthMonitorConfig> = (config, parts, signal) =>
  startControllers(parts, signal, (role) => assemble(config, role))

async function assemble(config: HealthMonitorConfig, role: SidecarRole) {
  const { driver, facts } = role
  const calls = findHealthCalls(facts.controller)
  if (!calls) throw new Error(`driver ${facts.name} has no call that tells the health of volumes`)
  role.log.info('health monitor is working', { asks: calls.name, watchesNodes: config.enableNodeWatcher })
  const earlier = await readEarlierEvents(role.api, componentOf(facts.name), role.log)
  const claims = role.follow(PERSISTENT_VOLUME_CLAIMS)
  const volumes = role.follow(PERSISTENT_VOLUMES)
  const readSeen = (name: string): HealthView['seen'] | undefined =>
    readHealthView(volumes.get(name), claims.get, facts.name)
  const findings = new Map<string, Finding>()
  const lanes = { default: config.workerThreads }
  const given = { driver, calls, config, findings, queue: role.createQueue({ name: 'csi-monitor-pv-queue', lanes }) }
  const health = defineHealthController(role, {
    ...given,
    watch: [
      on(volumes, ({ key, before, after }) => ((after ?? before)?.spec.csi?.driver === facts.name ? key : undefined)),
    ],
    readSeen,
    toldEarlier: earlier.conditions,
  })
  const bound = function* () {
    for (const { metadata } of volumes.all()) {
      const { volume, claim } = readSeen(metadata.name ?? '') ?? {}
      if (claim) yield { name: metadata.name ?? '', handle: volume?.spec.csi?.volumeHandle ?? '' }
    }
  }
  const findClaim = (key: string): PersistentVolumeClaim | undefined =>
    readSeen(claims.get(key)?.spec.volumeName ?? '')?.claim
  return [
    health,
    ...(calls.list ? [defineSurveyController(role, { ...given, volumes: bound })] : []),
    ...(config.enableNodeWatcher ? [watchNodes(role, claims, findClaim, earlier.failedNodes)] : []),
  ]
}

function watchNodes(
  role: ControllerRole,
  claims: FollowedKind<PersistentVolumeClaim>,
  findClaim: (key: string) => PersistentVolumeClaim | undefined,
  failedNodes: EarlierEvents['failedNodes'],
) {
  const nodes = role.follow(NODES)
  const pods = role.follow(PODS, {
    indexes: { [BY_NODE]: (pod) => (pod.spec.nodeName && podClaimKeysOf(pod).length > 0 ? [pod.spec.nodeName] : []) },
  })
  return defineNodeController(role, {
    watch: [
      // Nodes report often; only their readiness matters.
      on(nodes, ({ key, before, after }) =>
        before && after && isDeepStrictEqual(nodeStateOf(before), nodeStateOf(after)) ? undefined : key,
      ),
      on(pods, ({ before, after }) =>
        before && after?.spec.nodeName === before.spec.nodeName ? undefined : (after ?? before)?.spec.nodeName,
      ),
    ],
    readState: (name) => nodeStateOf(nodes.get(name)),
    readUsers: (name) => claimUsersOf(pods.byIndex(BY_NODE, name), findClaim),
    findClaim: claims.get,
    failedNodes,
  })
}
