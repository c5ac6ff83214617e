import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { diagnoseDriver } from './diagnose-driver.ts'
import type { DriverCondition } from './diagnose-driver.ts'

const condition = (more: Partial<DriverCondition> = {}): DriverCondition => ({
  endpoint: 'unix:///s',
  process: { kind: 'running' },
  answer: { kind: 'ready', name: 'a.example', missing: [] },
  knownName: 'a.example',
  calls: {},
  ...more,
})

const cases: [behaviour: string, condition: DriverCondition, sentence: string | undefined][] = [
  ['nothing is wrong', condition(), undefined],
  [
    'it has ended, whatever else is wrong',
    condition({
      process: { kind: 'ended', how: 'exit code 2', restartInMs: 2000 },
      answer: { kind: 'silent', detail: 'no such file' },
    }),
    'The driver has ended (exit code 2) and is started again in 2 s: see its last lines above.',
  ],
  [
    'it is not listening',
    condition({ answer: { kind: 'silent', detail: 'the socket does not exist' } }),
    'The driver is running but not listening on unix:///s (the socket does not exist): start it with the value of $CSI_ENDPOINT.',
  ],
  [
    'it is no CSI driver',
    condition({ answer: { kind: 'no-driver', detail: 'Unimplemented' } }),
    'The program on unix:///s is a gRPC server, but not a CSI driver (Unimplemented): it has to serve csi.v1.Identity.',
  ],
  [
    'it has an invalid name',
    condition({ answer: { kind: 'invalid-name', detail: 'a_b is not a domain name' } }),
    'The driver has an invalid name: a_b is not a domain name.',
  ],
  [
    'it has another name than before',
    condition({ answer: { kind: 'ready', name: 'b.example', missing: [] } }),
    'The driver now has the name b.example, but this cluster knows it as a.example: use the old name, or restart holdfast up.',
  ],
  [
    'it is not ready',
    condition({ answer: { kind: 'not-ready', name: 'a.example', detail: 'Probe answers ready=false' } }),
    'Driver a.example is not ready: Probe answers ready=false.',
  ],
  [
    'a call takes long',
    condition({ calls: { running: { call: 'CreateVolume for claim default/data', forMs: 40_200 } } }),
    'CreateVolume for claim default/data has been running for 40 s without an answer.',
  ],
  ['a call is just running', condition({ calls: { running: { call: 'CreateVolume', forMs: 39_000 } } }), undefined],
  [
    'a publish mounted nothing, and is not reported as a failing call',
    condition({ mountedNothing: 'nothing is mounted', calls: { failing: { call: 'X', error: 'y' } } }),
    'nothing is mounted',
  ],
  [
    'a call fails',
    condition({ calls: { failing: { call: 'CreateVolume for claim default/data', error: 'INTERNAL: no' } } }),
    'CreateVolume for claim default/data fails: INTERNAL: no',
  ],
  [
    'a capability is missing',
    condition({
      answer: { kind: 'ready', name: 'a.example', missing: ['does not announce CREATE_DELETE_VOLUME'] },
    }),
    'Driver a.example does not announce CREATE_DELETE_VOLUME.',
  ],
]
for (const [behaviour, given, sentence] of cases)
  test(`the diagnosis says that ${behaviour}`, () => equal(diagnoseDriver(given), sentence))
