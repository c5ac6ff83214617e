import { defineCommand, featureGates } from '../base/options/index.ts'
import { attacherOptions, startAttacher } from '../sidecars/attacher/index.ts'
import { runSidecar } from '../sidecars/run-sidecar.ts'
import type { RoleDefinition } from '../sidecars/run-sidecar.ts'
import { checkStandardConfig, standardOptions } from '../sidecars/standard-options.ts'
import { createCommandModule } from './command-module.ts'
import { connectKubernetes } from './connect-kubernetes.ts'
import { createCommandLogger } from './logging.ts'

const command = defineCommand({
  name: 'holdfast csi-attacher',
  summary:
    'Runs the external attacher: calls ControllerPublishVolume and ControllerUnpublishVolume of a CSI driver as VolumeAttachments ' +
    'come and go. Takes the flags of the Go program of that name.',
  options: {
    ...standardOptions,
    ...attacherOptions,
    featureGates: featureGates(
      { ReleaseLeaderElectionOnExit: { default: true, stage: 'beta' }, MutableCSINodeAllocatableCount: { default: true, stage: 'GA' } },
      'Features to switch on or off. The lease is always given back on exit.',
    ),
  },
  examples: [{ text: 'Against a cluster of kubectl', command: 'holdfast csi-attacher --csi-address=/run/csi/csi.sock --kubeconfig=kubeconfig' }],
  check: (config) => checkStandardConfig(config),
})

/** The external attacher as a process of its own. */
export const csiAttacherCommand = createCommandModule(command, async (config, world) => {
  const log = createCommandLogger({ logLevel: config.v >= 4 ? 'debug' : 'info', logFormat: config.loggingFormat }, world)
  const { clock, random, env } = world
  const kubernetes = await connectKubernetes(config, world, 'csi-attacher')
  const role: RoleDefinition = {
    name: 'attacher',
    component: (driver) => `external-attacher ${driver}`,
    leaseName: (driver) => `external-attacher-leader-${driver}`,
    notNeeded: () => undefined,
    start: (parts, signal) => startAttacher(config, parts, signal),
  }
  const stopped = world.untilStopped()
  try {
    const sidecar = await runSidecar([role], {
      config,
      callTimeoutMs: config.timeoutMs,
      api: kubernetes.api,
      electionApi: kubernetes.electionApi,
      identity: world.hostname,
      namespace: config.leaderElectionNamespace || env['POD_NAMESPACE'] || kubernetes.namespace || 'default',
      clock,
      random,
      log,
    })
    world.out.write(`ready unix://${config.csiAddress.replace(/^unix:\/\//, '')} driver=${sidecar.driverName}\n`)
    log.info('stopping', { signal: await stopped })
    await sidecar.stop()
  } finally {
    kubernetes.close()
  }
  return 0
})
