import { join } from 'node:path'
import { readText, writeText } from '../../look-at-path.ts'
import type { ClusterCase } from '../cluster-case.ts'
import { createClaim, createPod, deletePod, pathOf, untilRunning } from '../cluster-steps.ts'

const NEEDS = ['controller:CREATE_DELETE_VOLUME', 'node'] as const

export const LIFE_CASES: readonly ClusterCase[] = [
  {
    id: 'cluster/claim-to-pod',
    title: 'a claim gets a volume, a pod writes to it, and the next pod finds the data',
    clause: 'A volume SHALL be published at the specified `target_path`',
    section: 'NodePublishVolume',
    needs: NEEDS,
    volumes: 1,
    alone: true,
    run: async (context) => {
      const { check } = context
      await createClaim(context, 'data')
      await createPod(context, 'first', ['data'])
      await untilRunning(context, 'first')
      await writeText(check.host, join(await pathOf(context, 'first', 'data'), 'file'), 'kept')
      await deletePod(context, 'first')
      await createPod(context, 'second', ['data'])
      await untilRunning(context, 'second')
      const found = await readText(check.host, join(await pathOf(context, 'second', 'data'), 'file'))
      check.expect(found === 'kept', 'the file of the first pod', found ?? 'no file')
    },
  },
]
