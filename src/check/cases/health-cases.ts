import type { Driver } from '../../csi/index.ts'
import type { Case } from '../case.ts'
import type { CaseContext } from '../case-context.ts'
import { createVolume, useVolume } from '../volume-steps.ts'
import { errorRow, NO_SUCH_OBJECT } from './clauses.ts'

const CREATE = 'controller:CREATE_DELETE_VOLUME'
const GET = [CREATE, 'controller:GET_VOLUME_HEALTH'] as const
const LIST = ['controller:LIST_VOLUME_HEALTH'] as const
const ENTRY =
  'The Plugin MUST NOT return multiple VolumeHealthEntry messages for the same volume with the same (status, reason) combination. This field is REQUIRED. … The ID of the volume. This field is REQUIRED.'
const MISSING = errorRow('Volume does not exist | 5 NOT_FOUND')

// A storage system may have thousands of volumes, and a page may be empty.
const MOST_PAGES = 20

type VolumeHealth = Awaited<ReturnType<Driver['controllerGetVolumeHealth']>>['volumeHealth']

/** What every health of a volume has. */
function expectHealth(check: CaseContext, health: VolumeHealth, volumeId: string): void {
  check.expect(health?.volumeId === volumeId, `volume_health of ${volumeId}`, health ? health.volumeId : 'none')
  expectConditions(check, health?.healthStatuses ?? [])
}

function expectConditions(
  check: CaseContext,
  conditions: readonly { status: number; reason: string; of?: string }[],
): void {
  const seen = new Set<string>()
  for (const { status, reason, of = '' } of conditions) {
    check.expect(status !== 0 && reason !== '', 'a status and a reason', `status ${status}, reason "${reason}"`)
    const key = `${status} ${reason} ${of}`
    check.expect(!seen.has(key), 'each status and reason once', `status ${status}, reason ${reason} twice`)
    seen.add(key)
  }
}

export const HEALTH_CASES: readonly Case[] = [
  {
    id: 'health/get',
    title: 'ControllerGetVolumeHealth returns the health of the volume that was asked for',
    clause: ENTRY,
    section: 'ControllerGetVolumeHealth',
    needs: GET,
    volumes: 1,
    run: async (check) => {
      const { volumeId } = await createVolume(check, 'a')
      const { volumeHealth } = await check.driver.controllerGetVolumeHealth({ volumeId })
      expectHealth(check, volumeHealth, volumeId)
    },
  },
  {
    id: 'health/unknown',
    title: 'ControllerGetVolumeHealth of a volume that does not exist fails with NOT_FOUND',
    clause: MISSING,
    section: 'ControllerGetVolumeHealth',
    needs: ['controller:GET_VOLUME_HEALTH'],
    run: (check) =>
      check.refuses('ControllerGetVolumeHealth', NO_SUCH_OBJECT, () =>
        check.driver.controllerGetVolumeHealth({ volumeId: check.absentId() }),
      ),
  },
  {
    id: 'health/list-and-get',
    title: 'a driver that lists the health of volumes also announces GET_VOLUME_HEALTH',
    clause:
      'A Controller Plugin that has the `LIST_VOLUME_HEALTH` controller capability MUST also have the `GET_VOLUME_HEALTH` controller capability.',
    section: 'ControllerListVolumeHealth',
    needs: LIST,
    run: (check) => {
      check.expect(check.features.controller.has('GET_VOLUME_HEALTH'), 'GET_VOLUME_HEALTH', 'only LIST_VOLUME_HEALTH')
      return Promise.resolve()
    },
  },
  {
    id: 'health/list-pages',
    title: 'a page of ControllerListVolumeHealth has at most max_entries',
    clause:
      'If specified (non-zero value), the Plugin MUST NOT return more entries than this number in the response. If the actual number of entries is more than this number, the Plugin MUST set `next_token` in the response',
    section: 'ControllerListVolumeHealth',
    needs: [CREATE, ...LIST],
    volumes: 2,
    alone: true,
    run: async (check) => {
      for (const label of ['a', 'b']) await createVolume(check, label)
      let startingToken = ''
      for (let page = 1; page <= MOST_PAGES; page++) {
        const { entries, nextToken } = await check.driver.controllerListVolumeHealth({ maxEntries: 1, startingToken })
        check.expect(entries.length <= 1, 'at most 1 volume', `${entries.length}`)
        for (const { healthStatuses } of entries) expectConditions(check, healthStatuses)
        if (nextToken === '') return
        check.expect(nextToken !== startingToken, 'a token for the next page', `the same one: ${nextToken}`)
        startingToken = nextToken
      }
    },
  },
  {
    id: 'health/invalid-token',
    title: 'an invalid starting_token of ControllerListVolumeHealth is refused with ABORTED',
    clause: errorRow('Invalid `starting_token` | 10 ABORTED'),
    section: 'ControllerListVolumeHealth',
    needs: LIST,
    run: (check) =>
      check.refuses('ControllerListVolumeHealth', ['ABORTED'], () =>
        check.driver.controllerListVolumeHealth({ startingToken: check.absentId() }),
      ),
  },
  {
    id: 'health/node',
    title: 'NodeGetVolumeHealth returns the health of a published volume',
    clause: ENTRY,
    section: 'NodeGetVolumeHealth',
    needs: [CREATE, 'node', 'node:GET_VOLUME_HEALTH'],
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const { path } = await useVolume(check, volume)
      const { volumeId } = volume
      const { volumeHealth } = await check.node.driver.nodeGetVolumeHealth({ volumeId, volumePublishPath: path })
      expectHealth(check, volumeHealth, volumeId)
    },
  },
  {
    id: 'health/node-unknown',
    title: 'NodeGetVolumeHealth of a volume that does not exist fails with NOT_FOUND',
    clause: MISSING,
    section: 'NodeGetVolumeHealth',
    needs: ['node', 'node:GET_VOLUME_HEALTH'],
    run: (check) =>
      check.refuses('NodeGetVolumeHealth', NO_SUCH_OBJECT, () =>
        check.node.driver.nodeGetVolumeHealth({ volumeId: check.absentId() }),
      ),
  },
  {
    id: 'health/storage',
    title: 'NodeGetStorageHealth reports each condition once, with a status and a reason',
    clause:
      'The Plugin MUST NOT return multiple StorageBackendHealth messages with the same (status, reason, volume_capability) combination. This field is REQUIRED.',
    section: 'NodeGetStorageHealth',
    needs: ['node', 'node:GET_STORAGE_HEALTH'],
    run: async (check) => {
      const { backendHealth } = await check.node.driver.nodeGetStorageHealth({})
      const capabilityOf = (value: unknown): string => JSON.stringify(value) ?? ''
      expectConditions(
        check,
        backendHealth.map((entry) => ({ ...entry, of: capabilityOf(entry.volumeCapability) })),
      )
    },
  },
]
