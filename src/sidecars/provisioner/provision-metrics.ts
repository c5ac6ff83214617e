import { Counter, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'

/** Counts what upstream's provisioner counts, under the same names. */
export interface ProvisionMetrics {
  provisioned(labels: { class: string; source: string }, tookMs: number): void
  provisionFailed(labels: { class: string; source: string }): void
  deleted(labels: { class: string }, tookMs: number): void
  deleteFailed(labels: { class: string }): void
}

/** For one registry again and again: a role that comes back goes on counting. */
export function createProvisionMetrics(registry: Registry): ProvisionMetrics {
  const counter = (name: string, help: string, labelNames: string[]): Counter =>
    (registry.getSingleMetric(name) as Counter | undefined) ??
    new Counter({ name, help, labelNames, registers: [registry] })
  const histogram = (name: string, help: string, labelNames: string[]): Histogram =>
    (registry.getSingleMetric(name) as Histogram | undefined) ??
    new Histogram({ name, help, labelNames, registers: [registry] })
  const claim = ['class', 'source']
  const made = counter('controller_persistentvolumeclaim_provision_total', 'Volumes that were made and stored', claim)
  const notMade = counter(
    'controller_persistentvolumeclaim_provision_failed_total',
    'Tries to make a volume that failed',
    claim,
  )
  const making = histogram(
    'controller_persistentvolumeclaim_provision_duration_seconds',
    'From the first try to the stored volume',
    claim,
  )
  const deleted = counter('controller_persistentvolume_delete_total', 'Volumes that were deleted', ['class'])
  const notDeleted = counter(
    'controller_persistentvolume_delete_failed_total',
    'Tries to delete a volume that failed',
    ['class'],
  )
  const deleting = histogram(
    'controller_persistentvolume_delete_duration_seconds',
    'From the first try to the deleted volume',
    ['class'],
  )
  return {
    provisioned: (labels, tookMs) => {
      made.inc(labels)
      making.observe(labels, tookMs / 1000)
    },
    provisionFailed: (labels) => notMade.inc(labels),
    deleted: (labels, tookMs) => {
      deleted.inc(labels)
      deleting.observe(labels, tookMs / 1000)
    },
    deleteFailed: (labels) => notDeleted.inc(labels),
  }
}

export const NO_METRICS: ProvisionMetrics = {
  provisioned: () => {},
  provisionFailed: () => {},
  deleted: () => {},
  deleteFailed: () => {},
}
