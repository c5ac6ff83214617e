import { createUuid } from '../base/random.ts'
import type { World } from './world.ts'

/**
 * Under which name a replica holds leases. Of two with the same name both would lead. In a pod it is the host name, as upstream, so that a
 * container which was restarted has its lease back at once; a pod on the network of its node adds its own name, if POD_NAME tells it. Outside
 * of a cluster any number of processes may run on one machine.
 */
export function replicaIdentity({ hostname, env, random }: Pick<World, 'hostname' | 'env' | 'random'>): string {
  const pod = env['POD_NAME'] ?? ''
  if (pod !== '') return pod === hostname ? hostname : `${hostname}_${pod}`
  return env['KUBERNETES_SERVICE_HOST'] ? hostname : `${hostname}_${createUuid(random)}`
}
