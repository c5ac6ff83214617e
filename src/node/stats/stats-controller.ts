import { getOrAdd } from '../../base/get-or-add.ts'
import { atStart, defineController, on } from '../../kube/controller/index.ts'
import type { VolumeContext } from '../volumes/volume-context.ts'
import { nextStatsStep } from './next-stats-step.ts'
import { readStatsView } from './stats-view.ts'
import type { StatsPass, StatsPassView, StatsRecord, StatsStep, StatsStore } from './stats-view.ts'
import { conditionProblem, healthProblem, usageOf } from './volume-stats.ts'
import type { VolumeStats } from './volume-stats.ts'

// A volume is first measured soon after it is mounted, but not at once: many pods may start at the same time.
const LONGEST_FIRST_WAIT_MS = 10_000

/** Asks drivers how full the mounted volumes are and whether they are healthy. A volume that is not healthy gets an event on its pod. */
export function defineStatsController(context: VolumeContext, store: StatsStore) {
  const { clock, random, config, table, drivers, call } = context
  const recordOf = (key: string): StatsRecord => getOrAdd(store, key, () => ({}))
  /** Also after a failed call: stats are not worth a retry. */
  const plan = (key: string, inMs: number): void => void (recordOf(key).dueAtMs = clock.monotonicMs() + inMs)
  const planNext = (key: string): void => plan(key, config.statsMs * (1 + random.fraction()))
  const fail = ({ key, log, view: { mount } }: StatsPass, error: unknown): void => {
    // Unmounted while it was being measured.
    if (mount.state !== 'mounted') return
    const record = recordOf(key)
    const problem = error instanceof Error ? error.message : String(error)
    // The previous measurement may be outdated.
    record.stats = undefined
    if (record.problem !== problem) log.warn('volume stats not read', { volume: mount.volumeHandle, error })
    record.problem = problem
  }
  return defineController<StatsPassView, StatsStep>({
    name: 'node-volume-stats',
    // As for mounts: a driver that hangs does not delay the stats of others.
    queue: context.createQueue({ name: 'node-volume-stats', lanes: { default: 64 } }),
    watch: [
      atStart(...table.mounts.keys()),
      on(table, ({ mount }) => mount?.key),
      on(context.driverChanges, (name) =>
        [...table.mounts.values()].filter(({ driver }) => driver === name).map(({ key }) => key),
      ),
    ],
    view: (key) => readStatsView(context, store, key),
    forget: (key) => void store.delete(key),
    decide: nextStatsStep,
    perform: {
      plan: (_step, { key }) => plan(key, random.fraction() * Math.min(config.statsMs, LONGEST_FIRST_WAIT_MS)),
      probe: async (_step, pass) => {
        try {
          await drivers.probe(pass.view.mount.driver, call)
        } catch (error) {
          pass.signal.throwIfAborted()
          fail(pass, error)
          planNext(pass.key)
        }
      },
      measure: async (step, pass) => {
        try {
          recordOf(pass.key).stats = await measure(context, pass, step)
          recordOf(pass.key).problem = undefined
          report(pass, recordOf(pass.key).stats?.problem)
        } catch (error) {
          pass.signal.throwIfAborted()
          drivers.doubt(pass.view.mount.driver, error)
          fail(pass, error)
        }
        planNext(pass.key)
      },
    },
  })
}

type Measuring = Extract<StatsStep, { kind: 'measure' }>

async function measure(
  { clock, table, files, drivers, call }: VolumeContext,
  { view: { mount } }: StatsPass,
  { withUsage, withHealth }: Measuring,
): Promise<VolumeStats> {
  const driver = drivers.get(mount.driver)
  const { volumeHandle: volumeId } = mount
  const [path, device] = [files.targetOf(mount), table.deviceOf(mount)]
  const answer = withUsage ? await driver.nodeGetVolumeStats({ volumeId, volumePath: path }, call) : undefined
  const stagingTargetPath = device?.isOnDisk ? files.stagingOf(device) : ''
  const health = withHealth
    ? healthProblem(await driver.nodeGetVolumeHealth({ volumeId, volumePublishPath: path, stagingTargetPath }, call))
    : undefined
  return {
    timeMs: clock.nowMs(),
    usage: answer && usageOf(answer),
    problem: health ?? (answer && conditionProblem(answer)),
  }
}

/** As upstream, recovery is not reported; if the volume becomes abnormal again, that is reported. */
function report({ view: { mount, pod }, say, unsay }: StatsPass, problem: string | undefined): void {
  if (!problem) unsay()
  else if (pod)
    say(pod, { type: 'Warning', event: 'VolumeConditionAbnormal' }, `Volume ${mount.podVolumeName}: ${problem}`)
}
