import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { formatReason } from '../../api/reason.ts'
import { claimOf } from '../../testing/objects.ts'
import { REASONS } from './reasons.ts'
import type { BinderReason } from './reasons.ts'

const OTHER = { namespace: 'default', name: 'other' }
const SMALL = { what: 'size', wanted: '2Gi', found: '1Gi' } as const

// What the events of kube-controller-manager say, which runbooks and alerts match on.
const upstream: [reason: BinderReason, message: string][] = [
  [REASONS.NothingFits, 'no persistent volumes available for this claim and no storage class is set'],
  [REASONS.WaitForFirstConsumer('fast'), 'waiting for first consumer to be created before binding'],
  [REASONS.WaitForPodScheduled(['web']), 'waiting for pod web to be scheduled'],
  [REASONS.WaitForPodScheduled(['a', 'b']), 'waiting for pods a,b to be scheduled'],
  [REASONS.StorageClassMissing('nope'), 'storageclass.storage.k8s.io "nope" not found'],
  [
    REASONS.NobodyProvisions('manual', 'kubernetes.io/no-provisioner'),
    'no volume plugin matched name: kubernetes.io/no-provisioner',
  ],
  [
    REASONS.ExternalProvisioning('csi.example.com'),
    "Waiting for a volume to be created either by the external provisioner 'csi.example.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
  ],
  [REASONS.VolumeMismatch('v1', SMALL), 'Cannot bind to requested volume "v1": requested PV is too small'],
  [REASONS.VolumeTaken('v1', OTHER), 'volume "v1" already bound to a different claim.'],
  [REASONS.VolumeOfFormer('v1', OTHER), 'volume "v1" already bound to a different claim.'],
  [
    REASONS.ClaimMisboundToFormer('v1', OTHER),
    'Two claims are bound to the same volume, this one is bound incorrectly',
  ],
  [REASONS.VolumeNameLost, 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!'],
  [REASONS.VolumeLost('v1'), 'Bound claim has lost its PersistentVolume. Data on the volume is lost!'],
  [REASONS.ClaimMisbound('v1', OTHER), 'Two claims are bound to the same volume, this one is bound incorrectly'],
  [
    REASONS.ClaimMismatch('v1', claimOf(), { what: 'volumeMode', wanted: 'Block', found: 'Filesystem' }),
    'Cannot bind PersistentVolume "v1" to requested PersistentVolumeClaim "c1" due to incompatible volumeMode',
  ],
  [
    REASONS.NobodyDeletes('v1'),
    'error getting deleter volume plugin for volume "v1": no deletable volume plugin matched',
  ],
  [REASONS.RecycleRefused, 'No recycler plugin found for the volume!'],
  [REASONS.ReclaimPolicyUnknown('Keep'), 'Volume has unrecognized PersistentVolumeReclaimPolicy'],
]
for (const [reason, message] of upstream)
  test(`an event begins as upstream's does: ${message}`, () =>
    equal(formatReason(reason).slice(0, message.length), message))
