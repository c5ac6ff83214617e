import { resolve } from 'node:path'
import { choice, count, defineCommand, flag, map, path, quantity, text } from '../base/options/index.ts'
import { createLockTable, serve } from '../csi/kit/index.ts'
import { createHostpathDriver, DEFAULT_DRIVER_NAME, openHostpath } from '../drivers/hostpath/index.ts'
import { createCommandModule } from './command-module.ts'
import { lockDirectory } from './lock-directory.ts'
import { createCommandLogger, loggingOptions } from './logging.ts'

const command = defineCommand({
  name: 'holdfast driver',
  summary:
    'Runs the bundled CSI driver: volumes are directories, and image files for block volumes, below one data directory. ' +
    'It serves every call of CSI 1.12 on a unix socket.',
  options: {
    endpoint: text.required('Socket to serve, as unix:///path/to/csi.sock or a path.', {
      example: 'unix:///run/csi/csi.sock',
    }),
    nodeId: text.required('Name of this node, as the driver tells it to the cluster.'),
    data: path.required('Directory that holds volumes and snapshots. Made when it is missing.', {
      example: '/var/lib/holdfast/driver',
    }),
    driverName: text(DEFAULT_DRIVER_NAME, 'Name of the driver, as storage classes have it.'),
    capacityBytes: quantity.optional(
      'Room for all volumes and snapshots; without it, the size of the file system that holds the data.',
      {
        flag: 'capacity',
      },
    ),
    topology: map({}, 'Where this node is, for example topology.holdfast.dev/zone=a. May be given several times.'),
    attach: flag(false, 'Volumes must be attached to a node (ControllerPublishVolume) before it can use them.'),
    attachLimit: count(0, 'Volumes that one node may have attached at once; 0 is no limit.'),
    publish: choice(
      ['auto', 'bind', 'link'],
      'auto',
      'How volumes appear at their targets: bind mounts (needs root) or symbolic links.',
    ),
    ...loggingOptions,
  },
  examples: [
    {
      text: 'A driver to try things with',
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
