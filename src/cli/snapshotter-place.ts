import { UsageError } from '../base/options/index.ts'
import type { SnapshotterConfig } from '../sidecars/snapshotter/index.ts'
import type { World } from './world.ts'

/** The configuration with the node of this instance, as the environment of its pod tells it. Fails when that is needed and missing. */
export function placeSnapshotter(config: SnapshotterConfig, { env }: Pick<World, 'env'>): SnapshotterConfig {
  const { NODE_NAME: nodeName = '' } = env
  if (!config.nodeDeployment) return config
  if (nodeName === '')
    throw new UsageError(['--node-deployment needs the name of the node in the environment variable NODE_NAME'])
  return { ...config, nodeName }
}
