import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { EVENTS } from '../../../api/kinds/event.ts'
import { openTestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { Clock } from '../../../base/clock.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { defaultsOf } from '../../../base/options/index.ts'
import type { VolumeHealth_VolumeHealthEntry as HealthEntry } from '../../../csi/generated/csi/v1/csi.ts'
import { joinDriver } from '../../../csi/index.ts'
import type { Driver } from '../../../csi/index.ts'
import { defineDriver } from '../../../csi/kit/index.ts'
import type { CsiHandlers } from '../../../csi/kit/index.ts'
import { claimOf, createBoundPair, volumeOf } from '../../../testing/objects.ts'
import { startRoleUnderTest } from '../../testing/describe-role.ts'
import type { RoleUnderTest } from '../../testing/describe-role.ts'
import { componentOf } from '../event-texts.ts'
import { healthMonitorOptions } from '../health-monitor-options.ts'
import type { HealthMonitorConfig } from '../health-monitor-options.ts'
import { startHealthMonitor } from '../start-health-monitor.ts'

export const DRIVER = 'test.holdfast.dev'

/** Which calls the driver has: those of 1.13, or those up to 1.12 with the condition. */
export type Generation = 'list-health' | 'get-health' | 'list-volumes' | 'get-volume'

/** A driver with some unhealthy volumes. */
export type ScriptedDriver = {
  readonly driver: Driver
  /** `list`, `get v1`, in order. */
  readonly calls: string[]
  /** The problems of the volumes, by handle. A volume without an entry is healthy. */
  readonly problems: Map<string, HealthEntry[]>
  /** Volumes that lists leave out. */
  readonly unlisted: Set<string>
  /** Runs before each call; may fail or hang. */
  before: () => Promise<void>
}

/** One entry of a health report: by default a degraded disk. */
export const entryOf = (message: string, status: HealthEntry['status'] = 1, reason = 'BadDisk'): HealthEntry => ({
  status,
  reason,
  message,
})

function createScriptedDriver(clock: Clock, generation: Generation, handles: readonly string[]): ScriptedDriver {
  const calls: string[] = []
  const problems = new Map<string, HealthEntry[]>()
  const unlisted = new Set<string>()
  const problemsOf = (handle: string): HealthEntry[] => problems.get(handle) ?? []
  const conditionOf = (handle: string) => {
    const [problem] = problemsOf(handle)
    return {
      publishedNodeIds: [],
      volumeCondition: { abnormal: problem !== undefined, message: problem?.message ?? '' },
    }
  }
  // Two volumes per page.
  const pageOf = (all: readonly string[], startingToken: string) => {
    const from = Number(startingToken)
    const page = all.filter((handle) => !unlisted.has(handle))
    return { page: page.slice(from, from + 2), nextToken: page.length > from + 2 ? String(from + 2) : '' }
  }
  const note = async (call: string): Promise<void> => {
    calls.push(call)
    await script.before()
  }
  const volume = (volumeId: string) => ({ volumeId, capacityBytes: 1n })
  const getHealth: CsiHandlers['controllerGetVolumeHealth'] = async ({ volumeId }) => {
    await note(`get ${volumeId}`)
    return { volumeHealth: { volumeId, healthStatuses: problemsOf(volumeId) } }
  }
  const handlers: Record<Generation, CsiHandlers> = {
    'list-health': {
      controllerGetVolumeHealth: getHealth,
      controllerListVolumeHealth: async ({ startingToken }) => {
        await note('list')
        const { page, nextToken } = pageOf([...problems.keys()], startingToken)
        return { entries: page.map((volumeId) => ({ volumeId, healthStatuses: problemsOf(volumeId) })), nextToken }
      },
    },
    'get-health': { controllerGetVolumeHealth: getHealth },
    'list-volumes': {
      listVolumes: async ({ startingToken }) => {
        await note('list')
        const { page, nextToken } = pageOf(handles, startingToken)
        return { entries: page.map((handle) => ({ volume: volume(handle), status: conditionOf(handle) })), nextToken }
      },
    },
    'get-volume': {
      controllerGetVolume: async ({ volumeId }) => {
        await note(`get ${volumeId}`)
        return { volume: volume(volumeId), status: conditionOf(volumeId) }
      },
    },
  }
  const server = defineDriver(
    { name: DRIVER, version: '1', features: { volumeCondition: true } },
    { handlers: handlers[generation], log: createSilentLogger() },
  )
  const script: ScriptedDriver = {
    driver: joinDriver(server, { clock }),
    calls,
    problems,
    unlisted,
    before: () => Promise.resolve(),
  }
  return script
}

export type HealthMonitorUnderTest = TestCore &
  RoleUnderTest & {
    readonly script: ScriptedDriver
    /** `Warning VolumeConditionAbnormal c1 x2: bad disk`, in the order of creation. The number counts the writes. */
    events(): Promise<string[]>
  }

export type UnderTestOptions = {
  generation?: Generation
  config?: Partial<HealthMonitorConfig>
  /** Claims `c1`, `c2` … bound to volumes `v1`, `v2` …. Default 1. */
  volumes?: number
  apiOf?: (core: TestCore) => Api
  before?: (core: TestCore, script: ScriptedDriver) => Promise<void>
}

/** A running health monitor on a server with bound claims. */
export async function startUnderTest(
  context: TestContext,
  { generation = 'list-health', config = {}, volumes = 1, apiOf, before }: UnderTestOptions = {},
): Promise<HealthMonitorUnderTest> {
  const core = await openTestCore(context)
  const { api, clock } = core
  const numbers = Array.from({ length: volumes }, (_, index) => index + 1)
  const script = createScriptedDriver(
    clock,
    generation,
    numbers.map((number) => `v${number}`),
  )
  for (const number of numbers) await createBound(api, number)
  await before?.(core, script)
  const role = await startRoleUnderTest(context, core, {
    driver: script.driver,
    component: componentOf(DRIVER),
    ...(apiOf ? { api: apiOf(core) } : {}),
    progress: () => script.calls.length,
    startRole: (parts) =>
      startHealthMonitor({ ...defaultsOf(healthMonitorOptions), ...config }, parts, new AbortController().signal),
  })
  const events = async (): Promise<string[]> =>
    (await api.list(EVENTS)).items
      .toSorted((one, other) => (nanosOf(one.metadata.name) < nanosOf(other.metadata.name) ? -1 : 1))
      .map(
        ({ type, reason, message, count, involvedObject }) =>
          `${type} ${reason} ${involvedObject.name} x${count}: ${message}`,
      )
  return { ...core, ...role, script, events }
}

const nanosOf = (name = ''): string => name.slice(name.lastIndexOf('.'))

/** Claim `c1` bound to volume `v1`, and so on. */
export const createBound = (api: Api, number: number, driver = DRIVER) =>
  createBoundPair(api, {
    claim: claimOf({ name: `c${number}` }),
    volume: volumeOf({ name: `v${number}`, spec: { csi: { driver, volumeHandle: `v${number}` } } }),
  })
