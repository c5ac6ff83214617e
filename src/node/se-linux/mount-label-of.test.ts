import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { Container, PodSecurityContext } from '../../api/kinds/pod.ts'
import type { PersistentVolumeSpec } from '../../api/kinds/persistent-volume.ts'
import { podOf, volumeOf } from '../../testing/objects.ts'
import { labelOption, mountLabelOf } from './mount-label-of.ts'
import type { MountLabelFacts } from './mount-label-of.ts'

const LEVEL = { level: 's0:c1,c2' }
const LABEL = 'system_u:object_r:container_file_t:s0:c1,c2'
const labelled = (label: string) => ({ kind: 'label', label })

function facts(
  {
    security = { seLinuxOptions: LEVEL },
    containers = [],
    spec = {},
  }: { security?: PodSecurityContext; containers?: Partial<Container>[]; spec?: Partial<PersistentVolumeSpec> } = {},
  more: Partial<MountLabelFacts> = {},
): MountLabelFacts {
  const pod = podOf('a', { claims: ['data'] })
  const persistentVolume = volumeOf({ modes: ['ReadWriteOncePod'], spec })
  const [first] = pod.spec.containers
  const all =
    containers.length === 0 ? pod.spec.containers : containers.map((each) => ({ name: 'c', ...first, ...each }))
  return {
    pod: { ...pod, spec: { ...pod.spec, securityContext: security, containers: all } },
    podVolumeName: 'data',
    policy: { seLinuxMount: true },
    fileContext: 'system_u:object_r:container_file_t:s0',
    volume: {
      driver: 'd',
      volumeHandle: 'h',
      uniqueName: 'u',
      volumeName: 'v',
      spec: persistentVolume.spec,
      csi: { driver: 'd', volumeHandle: 'h' },
      persistentVolume,
    },
    ...more,
  }
}
const own = (options: object): Partial<Container> => ({ securityContext: { seLinuxOptions: options } })
const inLine = (({ persistentVolume: _none, ...rest }) => rest)(facts().volume)

const cases: [behaviour: string, facts: MountLabelFacts, label: object][] = [
  ['user, role and type of files, level of the pod', facts(), labelled(LABEL)],
  [
    'the user of the pod',
    facts({ security: { seLinuxOptions: { ...LEVEL, user: 'u' } } }),
    labelled(LABEL.replace('system_u', 'u')),
  ],
  [
    'the type and role of a process are not those of files',
    facts({ security: { seLinuxOptions: { ...LEVEL, type: 'container_t', role: 'r' } } }),
    labelled(LABEL),
  ],
  ['nothing on a machine without SELinux', facts({}, { fileContext: undefined }), labelled('')],
  ['nothing for a driver that does not support it', facts({}, { policy: { seLinuxMount: false } }), labelled('')],
  ['nothing for a volume of several pods', facts({ spec: { accessModes: ['ReadWriteOnce'] } }), labelled('')],
  [
    'nothing if the volume has another mode too',
    facts({ spec: { accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] } }),
    labelled(''),
  ],
  ['nothing for a block volume', facts({ spec: { volumeMode: 'Block' } }), labelled('')],
  ['nothing for a volume that is declared in the pod', facts({}, { volume: inLine }), labelled('')],
  [
    'nothing if the pod wants its files relabelled',
    facts({ security: { seLinuxOptions: LEVEL, seLinuxChangePolicy: 'Recursive' } }),
    labelled(''),
  ],
  [
    'a pod may say that it wants the mount option',
    facts({ security: { seLinuxOptions: LEVEL, seLinuxChangePolicy: 'MountOption' } }),
    labelled(LABEL),
  ],
  ['nothing without options', facts({ security: {} }), labelled('')],
  [
    'nothing without a level, which the container runtime chooses',
    facts({ security: { seLinuxOptions: { user: 'u' } } }),
    labelled(''),
  ],
  [
    'options of a container replace those of the pod',
    facts({ containers: [own({ level: 's0:c3' })] }),
    labelled(LABEL.replace('c1,c2', 'c3')),
  ],
  ['containers with the same label agree', facts({ containers: [own(LEVEL), {}] }), labelled(LABEL)],
  [
    'containers without the volume have no say',
    facts({ containers: [{}, { ...own({ level: 's0:c3' }), volumeMounts: [] }] }),
    labelled(LABEL),
  ],
  [
    'containers that differ are refused',
    facts({ containers: [own({ level: 's0:c3' }), {}] }),
    { kind: 'several', labels: [LABEL.replace('c1,c2', 'c3'), LABEL] },
  ],
  [
    'a level that would end the option is refused',
    facts({ security: { seLinuxOptions: { level: 's0",suid,x="' } } }),
    { kind: 'unsafe', label: 'system_u:object_r:container_file_t:s0",suid,x="' },
  ],
]
for (const [behaviour, given, label] of cases)
  test(`SELinux: ${behaviour}`, () => deepEqual(mountLabelOf(given), label))

test('SELinux: the mount option is quoted, since a level may have commas', () => {
  deepEqual(labelOption(LABEL), [`context="${LABEL}"`])
  deepEqual(labelOption(''), [])
})
