import {
  CreateVolumeRequest,
  CreateVolumeResponse,
  VolumeCapability_AccessMode_Mode as AccessMode,
} from '../../src/csi/generated/csi/v1/csi.ts'

/** A CreateVolume as a provisioner sends it: about 300 bytes. Numbers have a fixed width, so that every request has one size. */
export function createVolumeRequest(number: number): CreateVolumeRequest {
  return CreateVolumeRequest.fromPartial({
    name: `pvc-0c7f3f5e-8f6e-4d7a-9d3c-${String(number).padStart(12, '0')}`,
    capacityRange: { requiredBytes: 10n * 1024n ** 3n },
    volumeCapabilities: [
      {
        accessMode: { mode: AccessMode.SINGLE_NODE_WRITER },
        accessType: { $case: 'mount', value: { fsType: 'ext4', mountFlags: ['noatime'] } },
      },
    ],
    parameters: {
      tier: 'fast',
      'csi.storage.k8s.io/pvc/name': 'data-database-0',
      'csi.storage.k8s.io/pvc/namespace': 'production',
      'csi.storage.k8s.io/pv/name': 'pvc-0c7f3f5e-8f6e-4d7a-9d3c-000000000000',
    },
    accessibilityRequirements: {
      requisite: [{ segments: { 'topology.kubernetes.io/zone': 'zone-a' } }],
      preferred: [],
    },
  })
}

/** What a driver answers to it. */
export function createVolumeResponse({ name }: CreateVolumeRequest): CreateVolumeResponse {
  return CreateVolumeResponse.fromPartial({
    volume: {
      volumeId: name,
      capacityBytes: 10n * 1024n ** 3n,
      volumeContext: { pool: 'pool-1' },
      accessibleTopology: [{ segments: { 'topology.kubernetes.io/zone': 'zone-a' } }],
    },
  })
}

export const REQUEST_BYTES = CreateVolumeRequest.encode(createVolumeRequest(0)).finish()
export const RESPONSE_BYTES = CreateVolumeResponse.encode(createVolumeResponse(createVolumeRequest(0))).finish()
