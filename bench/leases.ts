import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { LEASES } from '../src/api/kinds/lease.ts'
import { createSilentLogger, createSystemClock, createSystemRandom } from '../src/base/index.ts'
import { startInformer } from '../src/kube/cache/informer.ts'
import { storeBound } from './sidecars/changes-load.ts'
import { inFlight } from './sidecars/in-flight.ts'
import { otherVolume } from './sidecars/objects.ts'
import { write } from './sidecars/print.ts'
import { openBenchStage } from './sidecars/stage.ts'
import { startSubject } from './sidecars/subjects.ts'
import { untilQuiet } from './sidecars/until-quiet.ts'

// Whether leases are renewed on time while many objects are read: npm run bench leases [-- --objects=50000 --built]. How to read it: bench/README.md.
const { values: options } = parseArgs({
  options: {
    /** Half of them volumes, half of them claims. */
    objects: { type: 'string', default: '50000' },
    starts: { type: 'string', default: '3' },
    built: { type: 'boolean', default: false },
  },
})
const PAIRS = Number(options.objects) / 2
const REQUESTS = 64
// Short, so that many renewals fall into the time in which objects are read.
const RETRY_MS = 100
const JOURNAL = 'holdfast-journal-'

const stage = await openBenchStage('holdfast')
try {
  await inFlight(
    Array.from({ length: PAIRS }, (_, index) => index),
    REQUESTS,
    (index) => storeBound(stage.api, otherVolume(index)),
  )
  for (let start = 0; start < Number(options.starts); start++) await measureStart()
} finally {
  await stage.close()
}

/** From the start of the sidecars until they have read everything and made the first decision about each object. */
async function measureStart(): Promise<void> {
  const clock = createSystemClock()
  const lateMs: number[] = []
  const last = new Map<string, number>()
  const watchMs = performance.now()
  const informer = startInformer(
    LEASES,
    {},
    { api: stage.api, clock, random: createSystemRandom(), log: createSilentLogger() },
  )
  informer.onChange(({ key, after }) => {
    const { renewTime = '', holderIdentity = '' } = after?.spec ?? {}
    if (key.includes(JOURNAL) || holderIdentity === '') return
    // By the clock of the sidecar, which has the same one: how long this takes to arrive does not count.
    const renewedMs = Date.parse(renewTime)
    const beforeMs = last.get(key)
    if (beforeMs !== undefined) lateMs.push(renewedMs - beforeMs - RETRY_MS)
    last.set(key, renewedMs)
  })
  const subject = startSubject('together', 'roles', 'default', {
    ...stage,
    nodeFlags: [],
    built: options.built,
    flags: ['--leader-election', '--leader-election-shared', `--leader-election-retry-period=${RETRY_MS}ms`],
  })
  try {
    while (lateMs.length === 0) await delay(RETRY_MS)
    await untilQuiet(subject.pids)
    const seconds = (performance.now() - watchMs) / 1000
    write(
      `${PAIRS * 2} objects, idle after ${seconds.toFixed(1)} s: ${lateMs.length} renewals, at most ${Math.max(...lateMs).toFixed(0)} ms late`,
    )
  } finally {
    await subject.stop()
    await informer.stop()
  }
}
