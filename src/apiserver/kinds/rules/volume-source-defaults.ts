import type { VolumeSource } from './volume-sources.ts'

// Defaults of the in-tree plugins.
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  hostPath: { type: '' },
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
}

/** Sets the defaults of a volume source of a pod or of a PersistentVolume. */
export function applyVolumeSourceDefaults(sources: VolumeSource): void {
  for (const [member, defaults] of Object.entries(DEFAULTS)) {
    const source = sources[member] as Record<string, unknown> | undefined
    if (source) for (const [name, value] of Object.entries(defaults)) source[name] ??= value
  }
}
