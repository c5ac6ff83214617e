import { isHoldfastNode } from '../../api/holdfast-node.ts'
import { CRON_JOBS } from '../../api/kinds/cron-job.ts'
import { JOBS } from '../../api/kinds/job.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { storageOf } from '../core/stored-object.ts'
import type { AdmissionPlugin } from './admission.ts'

const CONCERNED: readonly string[] = [JOBS, CRON_JOBS].map(storageOf)

/** Warns whoever creates a Job: on Holdfast nodes, its pods never end by themselves. */
export const jobsWithoutContainers: AdmissionPlugin = {
  name: 'JobsWithoutContainers',
  validate({ operation, kind, subresource, view, warnings }) {
    if (operation !== 'CREATE' || subresource !== '' || !CONCERNED.includes(kind.storage)) return
    const isIdle = view.list(storageOf(NODES)).some(({ object }) => isHoldfastNode(object as unknown as Node))
    if (isIdle)
      warnings.push(
        'Holdfast nodes run no containers: pods of a Job stay Running there until the phase in their status is set to Succeeded or Failed',
      )
  },
}
