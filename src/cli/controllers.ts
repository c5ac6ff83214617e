import { defineCommand, list } from '../base/options/index.ts'
import { chooseControllers, CONTROLLER_NAMES, controllerDefinitions, controllersOptions } from '../controllers/index.ts'
import { checkStandardConfig } from '../sidecars/standard-options.ts'
import { createCommandModule } from './command-module.ts'
import { controllerProcessOptions, runClusterControllers } from './run-cluster-controllers.ts'

const LEASE = 'holdfast-controllers'

const command = defineCommand({
  name: 'holdfast controllers',
  summary:
    'Runs the controllers for volumes (binder, scheduler, attach/detach, protection, ephemeral volumes, expansion, snapshots and the driver registry), for workloads (StatefulSet, Deployment, ReplicaSet, ReplicationController, DaemonSet, Job, CronJob) and for lost nodes (node lifecycle, taint eviction, pod garbage collection). They work with any Kubernetes API server. Each can be disabled.',
  options: {
    ...controllerProcessOptions,
    controllers: list(['*'], `Controllers to run: ${CONTROLLER_NAMES.join(', ')}. * enables all, -name disables one.`, {
      repeated: false,
    }),
    ...controllersOptions,
  },
  examples: [
    { text: 'All controllers', command: 'holdfast controllers --kubeconfig=kubeconfig' },
    {
      text: 'Together with kube-scheduler',
      command: 'holdfast controllers --kubeconfig=kubeconfig --controllers=*,-scheduler',
    },
  ],
  check: (config) => [
    ...checkStandardConfig({ ...config, metricsAddress: '' }),
    ...chooseControllers(config.controllers).unknown.map(
      (word) =>
        `--controllers: there is no controller ${JSON.stringify(word)}; there are ${CONTROLLER_NAMES.join(', ')}`,
    ),
    ...(chooseControllers(config.controllers).chosen.length === 0 ? ['--controllers leaves nothing to run'] : []),
  ],
})

/** The controllers of a cluster in one process. */
export const controllersCommand = createCommandModule(command, (config, world, _positionals, given) => {
  const { chosen } = chooseControllers(config.controllers)
  const definitions = controllerDefinitions(config, given).filter(({ name }) => chosen.includes(name))
  return runClusterControllers(
    { program: 'holdfast-controllers', lease: LEASE, leaseNamespace: 'kube-system', config, definitions },
    world,
  )
})
