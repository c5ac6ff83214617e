import { UsageError } from '../base/options/index.ts'
import type { ProvisionerConfig, ProvisionerPlace } from '../sidecars/provisioner/index.ts'
import type { KubernetesConnection } from './connect-kubernetes.ts'
import type { World } from './world.ts'

/** Where a provisioner runs, as the environment of its pod tells it. Fails when something is missing that its flags need. */
export function provisionerPlace(
  config: ProvisionerConfig,
  { env, hostname }: Pick<World, 'env' | 'hostname'>,
  kubernetes: Pick<KubernetesConnection, 'connectLimited'>,
  leaseNamespace: string,
): ProvisionerPlace {
  const { NODE_NAME: nodeName = '', NAMESPACE: namespace = '', POD_NAME: pod = '' } = env
  const missing = [
    ...(config.nodeDeployment && nodeName === ''
      ? ['--node-deployment needs the name of the node in the environment variable NODE_NAME']
      : []),
    ...(config.enableCapacity && namespace === ''
      ? ['--enable-capacity needs the namespace of the pod in the environment variable NAMESPACE']
      : []),
    ...(config.enableCapacity && config.capacityOwnerrefLevel >= 0 && pod === ''
      ? [
          '--enable-capacity needs the name of the pod in the environment variable POD_NAME, or --capacity-ownerref-level=-1',
        ]
      : []),
  ]
  if (missing.length > 0) throw new UsageError(missing)
  const { kubeApiCapacityQps: qps, kubeApiCapacityBurst: burst } = config
  return {
    namespace: config.enableCapacity ? namespace : leaseNamespace,
    hostname,
    ...(nodeName === '' ? {} : { nodeName }),
    ...(namespace === '' || pod === '' ? {} : { pod: { namespace, name: pod } }),
    ...(config.enableCapacity && qps > 0 ? { capacityApi: kubernetes.connectLimited({ qps, burst }) } : {}),
  }
}
