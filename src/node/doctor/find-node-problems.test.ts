import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatReason } from '../../api/reason.ts'
import type { Denial, DoctorFacts, Registration } from './doctor-facts.ts'
import { rootDirOf } from './find-kubelet.ts'
import { findNodeProblems } from './find-node-problems.ts'
import { formatDiagnosis } from './format-diagnosis.ts'
import { parseDenials } from './parse-denials.ts'
import { REASONS } from './reasons.ts'

const ROOT = '/var/lib/k0s/kubelet'
const DRIVER = 'csi.example.com'
const SOCKET = `${ROOT}/plugins/${DRIVER}/csi.sock`
const LABEL = 'system_u:object_r:container_var_lib_t:s0'

const registered: Registration = {
  path: `${ROOT}/plugins_registry/${DRIVER}-reg.sock`,
  type: 'CSIPlugin',
  driverName: DRIVER,
  endpoint: { path: SOCKET },
}
const silent: Registration = { path: '/dead.sock', failure: REASONS.RegistrarNotRunning('/dead.sock') }
const denial: Denial = {
  permission: 'connectto',
  command: 'csi-node-driver',
  target: '/csi/csi.sock',
  source: 'system_u:system_r:container_t:s0:c1,c2',
  label: 'system_u:system_r:spc_t:s0',
}

const WELL: DoctorFacts = {
  rootDir: ROOT,
  rootDirFrom: 'process',
  kubeletPid: 812,
  hasRegistry: true,
  registrations: [registered],
  elsewhere: [],
  drivers: [{ path: SOCKET, driverName: DRIVER }],
  seLinux: { isEnforcing: false, denials: [] },
}
const enforcing = (denials: readonly Denial[] = []) => ({ isEnforcing: true, denials })
const labelled = (label: string): Registration => ({ ...registered, label, endpoint: { path: SOCKET, label: LABEL } })
const misplaced: Registration = { ...registered, path: `/var/lib/kubelet/plugins_registry/${DRIVER}-reg.sock` }
const NONE = { registrations: [], drivers: [] }

const cases: [behaviour: string, facts: Partial<DoctorFacts>, codes: string[], driver?: string][] = [
  ['nothing is wrong with a driver that answers', {}, []],
  ['nothing is wrong with the driver that was asked about', { registrations: [registered, registered] }, [], DRIVER],
  ['the directory of the kubelet does not exist', { ...NONE, hasRegistry: false }, ['KubeletDirectoryMissing']],
  ['the driver has another directory', { ...NONE, elsewhere: [misplaced] }, ['RegisteredElsewhere']],
  ['a driver in both directories is not misplaced', { elsewhere: [misplaced] }, []],
  ['no driver is there', NONE, ['NothingRegistered']],
  ['the driver that was asked about is not there', {}, ['DriverNotOnNode'], 'other.example.com'],
  ['a registration socket is dead', { registrations: [registered, silent] }, ['RegistrarNotRunning']],
  ['a dead socket may be of any driver', { ...NONE, registrations: [silent] }, ['RegistrarNotRunning'], DRIVER],
  ['the driver answers, its registrar is missing', { registrations: [] }, ['DriverNotOffered']],
  [
    'trouble of another driver is not that of the one that was asked about',
    { registrations: [registered, { ...registered, driverName: 'b', failure: REASONS.DriverNotRunning('b', '/b') }] },
    [],
    DRIVER,
  ],
  [
    'plugins of other types are not ours',
    { registrations: [registered, { path: '/dra.sock', type: 'DRAPlugin', driverName: 'gpu' }] },
    [],
  ],
  ['SELinux denied an access', { registrations: [], drivers: [], seLinux: enforcing([denial]) }, ['SELinuxDenied']],
  ['a label of containers is fine', { registrations: [labelled(LABEL)], seLinux: enforcing() }, []],
  ['a label that is not known is not reported', { seLinux: enforcing() }, []],
  [
    'a label of something else',
    { registrations: [labelled('system_u:object_r:var_lib_t:s0')], seLinux: enforcing() },
    ['SELinuxLabelUnusual'],
  ],
  ['a label does not matter if SELinux is permissive', { registrations: [labelled('u:r:var_lib_t:s0')] }, []],
  [
    'several problems are all listed',
    { registrations: [silent], elsewhere: [misplaced], seLinux: enforcing([denial]) },
    ['RegisteredElsewhere', 'SELinuxDenied', 'RegistrarNotRunning', 'DriverNotOffered'],
  ],
]

describe('what is wrong on a node', () => {
  for (const [behaviour, facts, codes, driver] of cases)
    test(behaviour, () =>
      deepEqual(
        findNodeProblems({ ...WELL, ...facts }, driver).map(({ code }) => code),
        codes,
      ),
    )

  test('is said with what to do', () => {
    const facts = { ...WELL, ...NONE, elsewhere: [misplaced], seLinux: enforcing([denial]) }
    deepEqual(findNodeProblems(facts).map(formatReason), [
      `driver ${DRIVER} is registered with /var/lib/kubelet/plugins_registry/${DRIVER}-reg.sock, but the kubelet uses ${ROOT}. Install the driver with ${ROOT} as the directory of the kubelet: most Helm charts have a value for it, and its pods mount ${ROOT}/plugins_registry and ${ROOT}/plugins.`,
      'SELinux denied csi-node-driver (system_u:system_r:container_t:s0:c1,c2) { connectto } on /csi/csi.sock (system_u:system_r:spc_t:s0). Run the registrar with the same SELinux type as the driver, usually by securityContext.privileged or seLinuxOptions.type: spc_t. If the label of the directory is wrong, run: restorecon -Rv DIRECTORY.',
    ])
  })

  test('is printed after what was looked at', () => {
    deepEqual(
      formatDiagnosis({ ...WELL, registrations: [registered, silent] }, [silent.failure as never]).split('\n'),
      [
        `Kubelet directory: ${ROOT} (of process 812)`,
        `  ${registered.path}  ${DRIVER}  ok`,
        '  /dead.sock  no answer  RegistrarNotRunning',
        '',
        '1. Connection refused: no process serves the registration socket /dead.sock. Restart the pod of the driver: its registrar creates the socket again. If no driver uses the socket any more, remove it.',
        '',
      ],
    )
  })
})

describe('the directory in the command line of a kubelet', () => {
  const lines: [words: string[], rootDir: string | undefined][] = [
    [['kubelet', '--v=2'], undefined],
    [['kubelet', '--root-dir=/a', '--v=2'], '/a'],
    [['kubelet', '--root-dir', '/a'], '/a'],
    [['kubelet', '--root-dir=/a', '--root-dir=/b'], '/b'],
    [['k3s', 'server', '--kubelet-arg=root-dir=/a'], '/a'],
    [['k3s', 'agent', '--kubelet-arg', 'root-dir=/a'], '/a'],
    [['kubelet', '--root-dir'], undefined],
  ]
  for (const [words, rootDir] of lines) test(words.join(' '), () => deepEqual(rootDirOf(words), rootDir))
})

describe('denials in the audit log', () => {
  const line = (seconds: number, rest: string): string =>
    `type=AVC msg=audit(${seconds}.123:45): avc:  denied  { connectto } for  pid=7 ${rest}`
  const contexts = `scontext=${denial.source} tcontext=${denial.label}`
  const ours = line(
    100,
    `comm="csi-node-driver" path="/csi/csi.sock" ${contexts} tclass=unix_stream_socket permissive=0`,
  )
  const read = (...lines: string[]) => parseDenials(lines.join('\n'), new Set(['csi.sock']), 50_000)

  test('about a socket are read', () => deepEqual(read(ours), [denial]))
  test('are listed once', () => deepEqual(read(ours, ours.replace(':45', ':46')), [denial]))
  test('of long ago are left out', () => deepEqual(read(ours.replace('100.', '49.')), []))
  test('of a permissive domain are left out', () => deepEqual(read(ours.replace('permissive=0', 'permissive=1')), []))
  test('about something else are left out', () => deepEqual(read(ours.replace('csi.sock', 'other.sock')), []))
  test('of the kubelet are read for any socket', () =>
    deepEqual(
      read(ours.replace('csi-node-driver', 'kubelet').replace('/csi/csi.sock', '/x.sock')).map(({ target }) => target),
      ['/x.sock'],
    ))
  test('are not confused by other lines', () => deepEqual(read('', 'type=SYSCALL msg=audit(100.1:2): x', '\0'), []))
})
