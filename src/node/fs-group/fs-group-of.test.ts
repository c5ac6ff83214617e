import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { PodSecurityContext } from '../../api/kinds/pod.ts'
import { podOf } from '../../testing/objects.ts'
import { fsGroupOf } from './apply-fs-group.ts'
import type { FsGroupFacts } from './apply-fs-group.ts'

const podWith = (securityContext: PodSecurityContext) => {
  const pod = podOf('a')
  return { ...pod, spec: { ...pod.spec, securityContext } }
}
const facts = (more: Partial<FsGroupFacts> = {}): FsGroupFacts => ({
  pod: podWith({ fsGroup: 7 }),
  policy: { fsGroupPolicy: 'ReadWriteOnceWithFSType' },
  isReadOnly: false,
  isAppliedByDriver: false,
  fsType: 'ext4',
  accessModes: ['ReadWriteOnce'],
  ...more,
})
const ALWAYS = { gid: 7, onlyOnRootMismatch: false }
const [NONE, FILE] = [{ fsGroupPolicy: 'None' }, { fsGroupPolicy: 'File' }] as const

const cases: [behaviour: string, facts: FsGroupFacts, group: ReturnType<typeof fsGroupOf>][] = [
  ['applies the group of the pod', facts(), ALWAYS],
  ['leaves files alone without a group', facts({ pod: podWith({}) }), undefined],
  ['applies group 0', facts({ pod: podWith({ fsGroup: 0 }) }), { ...ALWAYS, gid: 0 }],
  ['leaves a read-only volume alone', facts({ isReadOnly: true, policy: FILE }), undefined],
  ['leaves it to a driver that applies the group itself', facts({ isAppliedByDriver: true, policy: FILE }), undefined],
  ['ReadWriteOnceWithFSType: not without a file system type', facts({ fsType: '' }), undefined],
  ['ReadWriteOnceWithFSType: not without any file system type', facts({ fsType: undefined }), undefined],
  ['ReadWriteOnceWithFSType: not for a shared volume', facts({ accessModes: ['ReadWriteMany'] }), undefined],
  ['ReadWriteOnceWithFSType: not without access modes', facts({ accessModes: [] }), undefined],
  [
    'ReadWriteOnceWithFSType: if one of the modes is ReadWriteOnce',
    facts({ accessModes: ['ReadOnlyMany', 'ReadWriteOnce'] }),
    ALWAYS,
  ],
  ['ReadWriteOnceWithFSType: for ReadWriteOncePod', facts({ accessModes: ['ReadWriteOncePod'] }), ALWAYS],
  [
    'ReadWriteOnceWithFSType: for a volume that is created for its pod',
    (({ accessModes: _none, ...rest }) => rest)(facts()),
    ALWAYS,
  ],
  ['None: never', facts({ policy: NONE }), undefined],
  ['File: whatever the file system and the modes', facts({ policy: FILE, fsType: '', accessModes: [] }), ALWAYS],
  [
    'OnRootMismatch is passed on',
    facts({ pod: podWith({ fsGroup: 7, fsGroupChangePolicy: 'OnRootMismatch' }) }),
    { gid: 7, onlyOnRootMismatch: true },
  ],
  ['Always is the default', facts({ pod: podWith({ fsGroup: 7, fsGroupChangePolicy: 'Always' }) }), ALWAYS],
]
for (const [behaviour, given, group] of cases) test(`fsGroup: ${behaviour}`, () => deepEqual(fsGroupOf(given), group))
