import type { Api } from '../api/api.ts'
import { defaultsOf } from '../base/options/index.ts'
import type { DriverGates } from '../api/driver-gates.ts'
import type { SnapshotGates } from '../api/snapshot-gates.ts'
import { controllerDefinitions, controllersOptions, runControllers } from '../controllers/index.ts'
import type { ClusterParts, StartedPart } from './cluster-options.ts'

/** Everything that decides about volumes for the whole cluster. */
export async function startControllers(
  { clock, random, log, tracer }: ClusterParts,
  api: Api,
  gates: DriverGates & SnapshotGates = {},
): Promise<StartedPart> {
  const defaults = defaultsOf(controllersOptions)
  const definitions = controllerDefinitions({ ...defaults, featureGates: { ...defaults.featureGates, ...gates } })
  const running = runControllers(definitions, { api, clock, random, log, tracer })
  await running.settled
  return {
    name: 'controllers',
    detail: definitions.map(({ name }) => name).join(', '),
    isIdle: () => running.isIdle(),
    stop: () => running.stop(),
  }
}
