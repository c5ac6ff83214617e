import type { Tracer } from '../../base/tracing/index.ts'
import { defineDriver } from '../../csi/kit/index.ts'
import type { Dispatcher, LockTable } from '../../csi/kit/index.ts'
import { createBindPublisher } from './bind-publisher.ts'
import { createControllerHandlers } from './controller.ts'
import { createHealthHandlers } from './health.ts'
import type { Hostpath, HostpathNode } from './hostpath.ts'
import { createLinkPublisher } from './link-publisher.ts'
import { createNodeHandlers } from './node.ts'
import type { Publisher } from './publisher.ts'
import { createSnapshotMetadataHandlers } from './snapshot-metadata.ts'
import { createSnapshotHandlers } from './snapshots.ts'

export const DEFAULT_DRIVER_NAME = 'hostpath.holdfast.dev'

export type HostpathDriverOptions = {
  hostpath: Hostpath
  node: HostpathNode
  name: string
  version: string
  /** Whether volumes must be published to a node before it can stage them. */
  attach: boolean
  /** `auto`: bind mounts if the process may mount, otherwise links. */
  publish: 'auto' | 'bind' | 'link'
  /** Shared by the drivers of one data directory. */
  locks: LockTable
  /** Records the calls that carry a trace. Default: none. */
  tracer?: Tracer | undefined
}

/** The driver of one node: all five services. Drivers of several nodes may share one data directory in one process. */
export async function createHostpathDriver(
  options: HostpathDriverOptions,
): Promise<{ server: Dispatcher; publisher: Publisher }> {
  const { hostpath, name, version, attach, locks, tracer } = options
  const { log, host } = hostpath.parts
  const bind = options.publish === 'bind' || (options.publish === 'auto' && (await host.mounts.available()))
  const publisher = bind ? createBindPublisher(host) : createLinkPublisher(host.files)
  if (!bind)
    log.warn(
      'volumes are published as links because this process is not allowed to mount; read-only access is not enforced',
      {
        node: options.node.id,
      },
    )
  const node = await hostpath.addNode(options.node)
  const handlers = {
    ...createControllerHandlers({ hostpath, node, attach, locks }),
    ...createSnapshotHandlers(hostpath, locks),
    ...createSnapshotMetadataHandlers(hostpath),
    ...createNodeHandlers({ hostpath, node, publisher, attach, locks }),
    ...createHealthHandlers(hostpath, node, publisher),
  }
  const hasTopology = Object.keys(node.topology).length > 0
  const features = {
    topology: hasTopology,
    snapshotTopology: hasTopology,
    cloneVolume: true,
    publishReadonly: attach,
    publishedNodes: attach,
    volumeCondition: true,
    singleNodeMultiWriter: true,
  }
  const server = defineDriver({ name, version, features }, { handlers, log, locks, node: node.id, tracer })
  return { server, publisher }
}
