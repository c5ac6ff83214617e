import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { STORAGE_CLASSES } from '../src/api/kinds/storage-class.ts'
import {
  missingForContainers,
  UPSTREAM_IMAGES,
  withoutGoSidecars,
} from '../test/kubernetes/cluster/build-test-images.ts'
import { DRIVER, openClusterStage } from '../test/kubernetes/cluster/open-cluster-stage.ts'
import { followStages, STAGES } from './kubernetes/follow-stages.ts'
import type { StageTimes } from './kubernetes/follow-stages.ts'
import { applyAndDelete } from './kubernetes/apply-and-delete.ts'
import { formatTable } from './apiserver/table.ts'
import { median } from './sidecars/measure.ts'

// From kubectl apply of a claim and a pod to a running container: npm run bench kubernetes [-- --pods=10 --rounds=2]. How to read it: bench/README.md.
const { values } = parseArgs({
  options: {
    /** Pods in one run, one after the other. */
    pods: { type: 'string', default: '10' },
    /** Times that each program is measured, in turn. */
    rounds: { type: 'string', default: '2' },
  },
})
const [PODS, ROUNDS] = [Math.max(1, Number(values.pods)), Math.max(1, Number(values.rounds))]
const CLASS = 'shared'
const write = (text: string): void => void process.stdout.write(`${text}\n`)

type Subject = { readonly name: string; readonly settings: readonly string[]; readonly runs: StageTimes[] }

const missing = missingForContainers()
if (missing !== undefined) {
  write(`did not run: containers need ${missing}`)
  process.exit(1)
}
const withoutGo = withoutGoSidecars()
const upstream = Object.entries(UPSTREAM_IMAGES).map(([name, image]) => `--set=images.upstream.${name}=${image}`)
const subjects: Subject[] = [
  { name: 'holdfast', settings: [], runs: [] },
  ...(withoutGo === undefined
    ? [{ name: 'Go', settings: ['--set=sidecars=upstream', ...upstream], runs: [] as StageTimes[] }]
    : []),
]
if (withoutGo !== undefined) write(`Go: ${withoutGo}`)

const stage = await openClusterStage()
const stages = followStages(stage.api)
try {
  await stage.api.create(STORAGE_CLASSES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: CLASS },
    provisioner: DRIVER,
  })
  for (let round = 0; round < ROUNDS; round++) {
    // In turn, so that whatever else the machine does falls on all of them alike.
    for (const { name, settings, runs } of subjects) {
      await stage.release.install(...settings)
      await applyAndDelete(stage, stages, `warm-up-${name.toLowerCase()}-${round}`)
      for (let pod = 0; pod < PODS; pod++)
        runs.push(await applyAndDelete(stage, stages, `${name.toLowerCase()}-${round}-${pod}`))
    }
  }
} finally {
  stages.stop()
  await stage.stop()
}

const columns = ['total ms', ...STAGES.map(({ title }) => title), 'sidecars, sum']
const rows = subjects.map(({ name, runs }) => {
  const of = (value: (times: StageTimes) => number): number => median(runs.map(value))
  const cells = [
    of((times) => times.runningMs),
    ...STAGES.map(({ between: [from, to] }) => of((times) => times[to] - times[from])),
    of((times) => times.createdMs - times.askedMs + (times.attachedMs - times.attachAskedMs)),
  ]
  return { name, cells }
})
write(formatTable({ title: 'medians', columns, rows }, { to: withoutGo ? 'holdfast' : 'Go', better: 'less' }))
for (const { name, runs } of subjects)
  write(`${name}: total ${runs.map(({ runningMs }) => (runningMs / 1000).toFixed(1)).join(' ')} s`)
write(`node ${process.version}, ${PODS} pods × ${ROUNDS} rounds, load ${loadavg()[0]?.toFixed(1)}`)
