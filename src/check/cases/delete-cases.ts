import type { Case } from '../case.ts'
import { allVolumes } from '../list-all.ts'
import { createVolume, useVolume } from '../volume-steps.ts'
import { ERROR_SCHEME, errorRow, MISSING_FIELD } from './clauses.ts'

const GONE =
  'This operation MUST be idempotent. If a volume corresponding to the specified `volume_id` does not exist or the artifacts associated with the volume do not exist anymore, the Plugin MUST reply `0 OK`.'
const NEEDS = ['controller:CREATE_DELETE_VOLUME'] as const

export const DELETE_CASES: readonly Case[] = [
  {
    id: 'delete/repeat',
    title: 'DeleteVolume succeeds again for a volume that it has deleted',
    clause: GONE,
    section: 'DeleteVolume',
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const { volumeId } = await createVolume(check, 'a')
      await check.driver.deleteVolume({ volumeId })
      await check.deleteAgain({ volumeId })
    },
  },
  {
    id: 'delete/unknown',
    title: 'DeleteVolume succeeds for an ID that never existed',
    clause: GONE,
    section: 'DeleteVolume',
    needs: NEEDS,
    run: async (check) => {
      await check.driver.deleteVolume({ volumeId: check.absentId() })
    },
  },
  {
    id: 'delete/no-id',
    title: 'DeleteVolume without volume_id is refused',
    clause: MISSING_FIELD,
    section: ERROR_SCHEME,
    needs: NEEDS,
    run: (check) =>
      check.refuses('DeleteVolume without volume_id', ['INVALID_ARGUMENT'], () => check.driver.deleteVolume({})),
  },
  {
    id: 'delete/really-gone',
    title: 'a deleted volume is not listed any more',
    clause: 'The Plugin SHALL return the information about all the volumes that it knows about.',
    section: 'ListVolumes',
    needs: ['controller:CREATE_DELETE_VOLUME', 'controller:LIST_VOLUMES'],
    volumes: 1,
    run: async (check) => {
      const { volumeId } = await createVolume(check, 'a')
      await check.driver.deleteVolume({ volumeId })
      const isListed = (await allVolumes(check.driver)).some(({ volume }) => volume?.volumeId === volumeId)
      check.expect(!isListed, `volume ${volumeId} is not listed after DeleteVolume`, 'it is listed')
    },
  },
  {
    id: 'delete/name-is-free',
    title: 'the name of a deleted volume can be used for another one of another size',
    clause: 'Volume MUST be at least this big.',
    section: 'CreateVolume',
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const { volumeId, capacityBytes } = await createVolume(check, 'a')
      await check.driver.deleteVolume({ volumeId })
      const size = capacityBytes === 0n ? check.settings.sizeBytes : capacityBytes
      const again = await createVolume(check, 'a', { capacityRange: { requiredBytes: 2n * size } })
      const isLarger = again.capacityBytes === 0n || again.capacityBytes >= 2n * size
      check.expect(isLarger, `a volume of ${2n * size} bytes`, `${again.capacityBytes} bytes`)
    },
  },
  {
    id: 'delete/in-use',
    title: 'DeleteVolume of a published volume fails with FAILED_PRECONDITION, or succeeds',
    clause: errorRow('Volume in use | 9 FAILED_PRECONDITION'),
    section: 'DeleteVolume',
    needs: ['controller:CREATE_DELETE_VOLUME', 'node'],
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      await useVolume(check, volume)
      await check.mayRefuse('DeleteVolume', ['FAILED_PRECONDITION'], () =>
        check.deleteAgain({ volumeId: volume.volumeId }),
      )
    },
  },
]
