import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { hasKubernetes } from './apiserver/servers.ts'
import { startChangesLoad } from './sidecars/changes-load.ts'
import { startVolumesLoad } from './sidecars/load.ts'
import type { Load } from './sidecars/load.ts'
import { measureRound, printComparison } from './sidecars/compare.ts'
import type { Side } from './sidecars/compare.ts'
import { live, measureRun } from './sidecars/measure.ts'
import type { RunNumbers, RunOptions } from './sidecars/measure.ts'
import { benchMemory } from './sidecars/memory.ts'
import { startOthersLoad } from './sidecars/others-load.ts'
import { printCalls, printPhases, write } from './sidecars/print.ts'
import type { Measured } from './sidecars/print.ts'
import { openBenchStage } from './sidecars/stage.ts'
import { availableSubjects, startSubject, SUBJECT_NAMES, titleOf } from './sidecars/subjects.ts'
import type { RunningSubject, Settings, SubjectName, SubjectSet } from './sidecars/subjects.ts'

// What the sidecars cost: npm run bench sidecars [-- --quick --volumes=1000 …]. How to read it: bench/README.md.
const SECTIONS = ['compare', 'tuned', 'default', 'memory'] as const
const SETS = ['volumes', 'changes'] as const

const { values: options } = parseArgs({
  options: {
    /** Fewer of everything: numbers to look at, not to compare. */
    quick: { type: 'boolean', default: false },
    /** Volumes in one run. Default 1,000. */
    volumes: { type: 'string' },
    /** Times that each is measured; the median counts. */
    rounds: { type: 'string' },
    /** Sections, with commas between. Default: all. */
    only: { type: 'string', default: SECTIONS.join(',') },
    /** What is done, with commas between: volumes (provision, attach, detach, delete), changes (expand, snapshot). Default: both. */
    sets: { type: 'string', default: SETS.join(',') },
    /** Volumes, and as many snapshots, that are there while memory is measured. Default 10,000. */
    others: { type: 'string' },
    /** Sidecars, with commas between: together, apart, go. Default: all that are there. */
    subjects: { type: 'string', default: SUBJECT_NAMES.join(',') },
    /** The API server that they work on: kubernetes, or holdfast. Default: kubernetes where it is built. */
    server: { type: 'string', default: hasKubernetes() ? 'kubernetes' : 'holdfast' },
    /** dist/ in place of the source: what users run, and smaller. */
    built: { type: 'boolean', default: false },
    /** A directory for CPU profiles of our sidecars. */
    profile: { type: 'string' },
    /** A further word for Node in our sidecars, such as --node=--max-semi-space-size=4. */
    node: { type: 'string', multiple: true, default: [] },
  },
})
const isAsked = (section: (typeof SECTIONS)[number]): boolean => options.only.split(',').includes(section)
const VOLUMES = Number(options.volumes ?? (options.quick ? 200 : 1000))
const ROUNDS = Number(options.rounds ?? (options.quick ? 1 : 2))
const COMPARED_ROUNDS = Number(options.rounds ?? (options.quick ? 1 : 7))
const REQUESTS = 64
const WARM_UP = Math.min(200, VOLUMES)
const ALONE = options.quick ? 30 : 100
// With its default settings a Go attacher makes 1.7 of them a second.
const FEW_VOLUMES = options.quick ? 15 : 50
const OTHERS = Number(options.others ?? (options.quick ? 2000 : 10_000))
const SETTLE_MS = 3000

const hasSet = (set: (typeof SETS)[number]): boolean => options.sets.split(',').includes(set)
const namesOf = (set: SubjectSet): SubjectName[] =>
  availableSubjects(set).filter((name) => options.subjects.split(',').includes(name))
const referenceOf = (set: SubjectSet): string =>
  titleOf(namesOf(set).includes('go') ? 'go' : (namesOf(set)[0] ?? 'together'), set)

const startMs = performance.now()
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
if (namesOf('volumes').length === 0) throw new Error('there is nothing to measure')
for (const set of SETS)
  if (hasSet(set) && options.subjects.includes('go') && !namesOf(set).includes('go'))
    write(`${set}: not all Go sidecars are beside the peers of npm run test:kubernetes: ours alone`)

const kind = options.server === 'kubernetes' ? 'kubernetes' : 'holdfast'
const stage = await openBenchStage(kind)
const place = {
  ...stage,
  built: options.built,
  nodeFlags: [
    ...options.node,
    ...(options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(options.profile)}`]),
  ],
}

/** With sidecars of its own, which are gone afterwards. */
async function withSubject<T>(
  name: SubjectName,
  set: SubjectSet,
  settings: Settings,
  use: (subject: RunningSubject) => Promise<T>,
): Promise<T> {
  const subject = startSubject(name, set, settings, place)
  try {
    return await use(subject)
  } catch (error) {
    write(`${titleOf(name, set)} failed: ${subject.describe()}`)
    throw error
  } finally {
    await subject.stop()
  }
}

async function withLoad<P extends string, T>(
  start: (api: typeof stage.api) => Promise<Load<P>>,
  use: (load: Load<P>) => Promise<T>,
): Promise<T> {
  const load = await start(stage.api)
  try {
    return await use(load)
  } finally {
    await load.stop()
  }
}

type Section<P extends string> = {
  set: SubjectSet
  settings: Settings
  rounds: number
  start(api: typeof stage.api): Promise<Load<P>>
  optionsOf(name: SubjectName): Omit<RunOptions, 'prefix' | 'requests'>
}

async function measure<P extends string>({
  set,
  settings,
  rounds,
  start,
  optionsOf,
}: Section<P>): Promise<Measured<P>> {
  const subjects = namesOf(set).map((name) => ({ name, runs: [] as RunNumbers<P>[] }))
  let phases: readonly P[] = []
  // In turn, so that whatever else the machine does falls on all of them alike.
  for (let round = 0; round < rounds; round++) {
    for (const { name, runs } of subjects) {
      const run = { prefix: `${set}-${settings}-${name}-${round}`, requests: REQUESTS, ...optionsOf(name) }
      const measureOne = (load: Load<P>, subject: RunningSubject): Promise<RunNumbers<P>> => {
        phases = load.phases
        return measureRun(load, subject, run)
      }
      runs.push(
        await withSubject(name, set, settings, (subject) => withLoad(start, (load) => measureOne(load, subject))),
      )
    }
  }
  return { set, phases, reference: referenceOf(set), subjects }
}

async function bench<P extends string>(set: SubjectSet, start: Section<P>['start']): Promise<void> {
  if (isAsked('tuned')) {
    const optionsOf = () => ({ volumes: VOLUMES, warmUp: WARM_UP, alone: ALONE })
    const tuned = await measure({ set, settings: 'tuned', rounds: ROUNDS, start, optionsOf })
    printPhases('tuned', tuned)
    await delay(SETTLE_MS)
    printCalls(tuned, stage.server.requests())
  }
  if (isAsked('default')) {
    const optionsOf = (name: SubjectName) =>
      name === 'go' ? { volumes: FEW_VOLUMES, warmUp: 0, alone: 0 } : { volumes: VOLUMES, warmUp: WARM_UP, alone: 0 }
    const byDefault = await measure({ set, settings: 'default', rounds: 1, start, optionsOf })
    printPhases('default settings', byDefault)
    if (namesOf(set).includes('go'))
      write(
        `Go with ${FEW_VOLUMES} volumes and no warm-up, ours with ${VOLUMES}: its default limit makes the rest of a longer run the same`,
      )
  }
}

/** Ours with default settings, and Go tuned, in turn. */
async function compare(): Promise<void> {
  if (!namesOf('volumes').includes('go')) return write('compare: needs csi-provisioner and csi-attacher of Go')
  const ours: Side = { name: 'Holdfast', rounds: [] }
  const go: Side = { name: 'Go, tuned', rounds: [] }
  const run = { volumes: VOLUMES, warmUp: WARM_UP, alone: Math.min(ALONE, 30), requests: REQUESTS }
  for (let round = 0; round < COMPARED_ROUNDS; round++)
    for (const [side, name, settings] of [
      [ours, 'together', 'default'],
      [go, 'go', 'tuned'],
    ] as const)
      side.rounds.push(
        await withSubject(name, 'volumes', settings, (subject) =>
          withLoad(startVolumesLoad, (own) =>
            withLoad(startOthersLoad, (others) =>
              measureRound(subject, { own, others }, { ...run, prefix: `compare-${name}-${round}` }),
            ),
          ),
        ),
      )
  printComparison(ours, go)
}

try {
  const title = kind === 'kubernetes' ? 'kube-apiserver + etcd' : 'holdfast apiserver --data'
  write(`on ${title}, a driver that does nothing; ratios to Go where it is measured, above 1 is better`)
  if (isAsked('compare')) await compare()
  if (hasSet('volumes')) await bench('volumes', startVolumesLoad)
  if (hasSet('changes')) await bench('changes', startChangesLoad)
  if (isAsked('memory'))
    await benchMemory({
      api: stage.api,
      count: OTHERS,
      requests: REQUESTS,
      sets: [
        ...(hasSet('volumes') ? ['volumes' as const, 'roles' as const] : []),
        ...(hasSet('changes') ? ['all' as const] : []),
      ],
      namesOf,
      referenceOf,
      withWarmSubject: (name, set, label, use) =>
        withSubject(name, set, 'tuned', async (subject) => {
          await withLoad(startVolumesLoad, (load) => live(load, subject, label, 1, 1))
          if (set === 'all') await withLoad(startChangesLoad, (load) => live(load, subject, `${label}-changes`, 1, 1))
          return use(subject)
        }),
    })
} finally {
  await stage.close()
}
write('')
write(`node ${process.version}, ${VOLUMES} volumes, ${((performance.now() - startMs) / 1000).toFixed(0)} s`)
