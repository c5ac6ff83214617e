/** The name of the Lease with which the replicas of a driver's sidecar elect their leader, before `leaseName` converts it. */
export const SIDECAR_LEASES = {
  provisioner: (driver: string): string => driver,
  attacher: (driver: string): string => `external-attacher-leader-${driver}`,
  resizer: (driver: string): string => `external-resizer-${driver}`,
  snapshotter: (driver: string): string => `external-snapshotter-leader-${driver}`,
  'health-monitor': (driver: string): string => `external-health-monitor-leader-${driver}`,
} as const

export type SidecarName = keyof typeof SIDECAR_LEASES
