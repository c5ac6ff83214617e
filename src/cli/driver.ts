import { resolve } from 'node:path'
import { choice, count, defineCommand, flag, map, path, quantity, text } from '../base/options/index.ts'
import { otlpEndpoint } from '../base/tracing/otlp-option.ts'
import { createLockTable, serve } from '../csi/kit/index.ts'
import { createHostpathDriver, DEFAULT_DRIVER_NAME, openHostpath } from '../drivers/hostpath/index.ts'
import { createCommandModule } from './command-module.ts'
import { lockDirectory } from './lock-directory.ts'
import { createCommandLogger, loggingOptions } from './logging.ts'
import { openTracing } from './open-tracing.ts'

const command = defineCommand({
  name: 'holdfast driver',
  summary:
    'Runs the bundled CSI driver. Volumes are directories, or image files for block volumes, below one data directory. It serves every call of CSI 1.13 on a unix socket.',
  options: {
    endpoint: text.required('Socket to serve, as unix:///path/to/csi.sock or a path.', {
      example: 'unix:///run/csi/csi.sock',
    }),
    nodeId: text.required('ID of this node, which the driver reports to the cluster.'),
    data: path.required('Directory for volumes and snapshots. Created if it does not exist.', {
      example: '/var/lib/holdfast/driver',
    }),
    driverName: text(DEFAULT_DRIVER_NAME, 'Name of the driver, for the provisioner field of storage classes.'),
    capacityBytes: quantity.optional(
      'Total capacity for volumes and snapshots. Default: the size of the filesystem of the data directory.',
      {
        flag: 'capacity',
      },
    ),
    topology: map({}, 'Topology segments of this node, for example topology.holdfast.dev/zone=a. Can be repeated.'),
    attach: flag(false, 'Volumes must be attached to a node (ControllerPublishVolume) before it can use them.'),
    attachLimit: count(0, 'Maximum number of volumes attached to one node. 0 means no limit.'),
    publish: choice(
      ['auto', 'bind', 'link'],
      'auto',
      'How to publish volumes at their target paths: bind mounts (needs root) or symbolic links.',
    ),
    otlpEndpoint,
    ...loggingOptions,
  },
  examples: [
    {
      text: 'A driver for experiments',
      command: 'holdfast driver --endpoint=unix:///tmp/csi.sock --node-id=node-1 --data=/tmp/volumes',
    },
  ],
  check: ({ attach, attachLimit }) => (attachLimit > 0 && !attach ? ['--attach-limit needs --attach'] : []),
})

/** The bundled driver as a process of its own. */
export const driverCommand = createCommandModule(command, async (config, world) => {
  const log = createCommandLogger(config, world)
  const { clock, random, host } = world
  const root = resolve(config.data)
  await using _held = await lockDirectory(host, root)
  await using tracing = await openTracing(config, world, log)
  const hostpath = await openHostpath({
    root,
    host,
    clock,
    random,
    log,
    ...(config.capacityBytes === undefined ? {} : { capacityBytes: config.capacityBytes }),
  })
  const { server, publisher } = await createHostpathDriver({
    hostpath,
    node: { id: config.nodeId, topology: config.topology, attachLimit: config.attachLimit },
    name: config.driverName,
    version: world.version,
    attach: config.attach,
    publish: config.publish,
    locks: createLockTable(),
    tracer: tracing.tracer,
  })
  const stopped = world.untilStopped()
  const running = await serve({ endpoint: config.endpoint, servers: [server], files: host.files, random, clock, log })
  world.out.write(
    `ready unix://${running.path} driver=${config.driverName} node=${config.nodeId} publish=${publisher.kind}\n`,
  )
  const signal = await stopped
  log.info('stopping', { signal })
  await running.stop()
  return 0
})
