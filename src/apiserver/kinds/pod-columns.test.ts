import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CREATED, kindUnderTest } from './testing/kind-under-test.ts'

const kind = kindUnderTest('Pod')
const status = (name: string, state: object, more: object = {}): object => ({
  name,
  ready: false,
  restartCount: 0,
  image: 'i',
  imageID: 'x',
  state,
  ...more,
})
const pod = (more: { spec?: object; status?: object; metadata?: object } = {}): object => ({
  metadata: { name: 'p', ...more.metadata },
  spec: {
    containers: [
      { name: 'a', image: 'i' },
      { name: 'b', image: 'i' },
    ],
    ...more.spec,
  },
  status: { phase: 'Running', ...more.status },
})
const init = {
  initContainers: [
    { name: 'i0', image: 'i' },
    { name: 'i1', image: 'i' },
  ],
}
const RUNNING = { running: {} }
const ended = (exitCode: number, more: object = {}): object => ({ terminated: { exitCode, ...more } })

type Shown = { Ready: string; Status: string; Restarts: string }

const cases: [behaviour: string, object: object, shown: Shown][] = [
  ['a pod that waits', pod({ status: { phase: 'Pending' } }), { Ready: '0/2', Status: 'Pending', Restarts: '0' }],
  [
    'a pod that runs',
    pod({
      status: { containerStatuses: [status('a', RUNNING, { ready: true }), status('b', RUNNING, { ready: true })] },
    }),
    { Ready: '2/2', Status: 'Running', Restarts: '0' },
  ],
  [
    'a container that waits',
    pod({ status: { containerStatuses: [status('a', { waiting: { reason: 'CrashLoopBackOff' } })] } }),
    { Ready: '0/2', Status: 'CrashLoopBackOff', Restarts: '0' },
  ],
  [
    'a container that was restarted',
    pod({
      status: {
        containerStatuses: [
          status('a', RUNNING, { ready: true, restartCount: 3, lastState: ended(1, { finishedAt: CREATED }) }),
        ],
      },
    }),
    { Ready: '1/2', Status: 'Running', Restarts: '3 (3m20s ago)' },
  ],
  [
    'a container that failed without a reason',
    pod({ status: { containerStatuses: [status('a', ended(7))] } }),
    { Ready: '0/2', Status: 'ExitCode:7', Restarts: '0' },
  ],
  [
    'a container that was killed',
    pod({ status: { containerStatuses: [status('a', ended(137, { signal: 9 }))] } }),
    { Ready: '0/2', Status: 'Signal:9', Restarts: '0' },
  ],
  [
    'a container that is done beside one that runs',
    pod({
      status: {
        containerStatuses: [status('a', ended(0, { reason: 'Completed' })), status('b', RUNNING, { ready: true })],
      },
    }),
    { Ready: '1/2', Status: 'NotReady', Restarts: '0' },
  ],
  [
    'the same in a pod that is ready',
    pod({
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [status('a', ended(0, { reason: 'Completed' })), status('b', RUNNING, { ready: true })],
      },
    }),
    { Ready: '1/2', Status: 'Running', Restarts: '0' },
  ],
  [
    'the second init container at work',
    pod({
      spec: init,
      status: { phase: 'Pending', initContainerStatuses: [status('i0', ended(0)), status('i1', RUNNING)] },
    }),
    { Ready: '0/2', Status: 'Init:1/2', Restarts: '0' },
  ],
  [
    'an init container that failed',
    pod({ spec: init, status: { phase: 'Pending', initContainerStatuses: [status('i0', ended(3))] } }),
    { Ready: '0/2', Status: 'Init:ExitCode:3', Restarts: '0' },
  ],
  [
    'an init container that waits, after restarts',
    pod({
      spec: init,
      status: {
        phase: 'Pending',
        initContainerStatuses: [status('i0', { waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 2 })],
      },
    }),
    { Ready: '0/2', Status: 'Init:CrashLoopBackOff', Restarts: '2' },
  ],
  [
    'a sidecar that is ready counts',
    pod({
      spec: { initContainers: [{ name: 's', image: 'i', restartPolicy: 'Always' }] },
      status: {
        initContainerStatuses: [status('s', RUNNING, { ready: true, started: true, restartCount: 1 })],
        containerStatuses: [status('a', RUNNING, { ready: true })],
      },
    }),
    { Ready: '2/3', Status: 'Running', Restarts: '1' },
  ],
  [
    'a pod that is gated',
    pod({
      status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    }),
    { Ready: '0/2', Status: 'SchedulingGated', Restarts: '0' },
  ],
  [
    'a pod that is going',
    pod({ metadata: { deletionTimestamp: CREATED } }),
    { Ready: '0/2', Status: 'Terminating', Restarts: '0' },
  ],
  [
    'a pod that is going on a node that is lost',
    pod({ metadata: { deletionTimestamp: CREATED }, status: { reason: 'NodeLost' } }),
    { Ready: '0/2', Status: 'Unknown', Restarts: '0' },
  ],
  [
    'a pod that is done and going',
    pod({ metadata: { deletionTimestamp: CREATED }, status: { phase: 'Succeeded' } }),
    { Ready: '0/2', Status: 'Succeeded', Restarts: '0' },
  ],
  [
    'a pod that was evicted',
    pod({ status: { phase: 'Failed', reason: 'Evicted' } }),
    { Ready: '0/2', Status: 'Evicted', Restarts: '0' },
  ],
]

describe('the table of pods shows', () => {
  for (const [behaviour, object, shown] of cases) {
    test(behaviour, () => {
      const { Ready, Status, Restarts } = kind.row(object)
      deepEqual({ Ready, Status, Restarts }, shown)
    })
  }

  test('where a pod is, when asked for more', () => {
    const {
      IP,
      Node,
      'Nominated Node': nominated,
      'Readiness Gates': gates,
    } = kind.row(
      pod({
        spec: { nodeName: 'n1', readinessGates: [{ conditionType: 'x' }, { conditionType: 'y' }] },
        status: { podIPs: [{ ip: '10.0.0.1' }], conditions: [{ type: 'x', status: 'True' }] },
      }),
    )
    deepEqual([IP, Node, nominated, gates], ['10.0.0.1', 'n1', '<none>', '1/2'])
  })
})
