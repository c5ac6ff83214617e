import { startClusterRegistrar } from './cluster-registrar/index.ts'
import type { RegistrarConfig, RunningRegistrar } from './cluster-registrar/index.ts'
import { textAnswer } from '../kube/process/serve-http.ts'
import type { RoleDefinition } from './role.ts'

/** The registrar of a cluster. `/readyz` returns 200 while the driver's objects exist. */
export function clusterRegistrarRole(config: RegistrarConfig): RoleDefinition {
  let running: RunningRegistrar | undefined
  const readiness = async () => {
    const ready = running?.isRegistered() ?? false
    return ready ? textAnswer(200, 'ok') : textAnswer(503, 'the driver is not registered\n')
  }
  return {
    name: 'cluster-registrar',
    component: (driver) => `cluster-driver-registrar ${driver}`,
    leaseName: (driver) => `cluster-driver-registrar-${driver}`,
    routes: { '/readyz': readiness },
    start: async (parts, signal) => {
      const registrar = await startClusterRegistrar(config, parts, signal)
      running = registrar
      return {
        ...registrar,
        stop: async () => {
          if (running === registrar) running = undefined
          await registrar.stop()
        },
      }
    },
  }
}
