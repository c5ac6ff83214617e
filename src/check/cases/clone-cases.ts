import type { Case } from '../case.ts'
import { createVolume, volumeRequest } from '../volume-steps.ts'
import { errorRow, NO_SUCH_OBJECT } from './clauses.ts'
import { expectContent, fill, POPULATED } from './snapshot-cases.ts'

const CLONE = ['controller:CREATE_DELETE_VOLUME', 'controller:CLONE_VOLUME'] as const

const fromVolume = ({ volumeId }: { volumeId: string }) => ({
  volumeContentSource: { type: { $case: 'volume' as const, value: { volumeId } } },
})

export const CLONE_CASES: readonly Case[] = [
  {
    id: 'clone/data',
    title: 'a clone has the data of its source',
    clause: POPULATED,
    section: 'CreateVolume',
    needs: [...CLONE, 'node'],
    volumes: 2,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      await fill(check, volume, 'source')
      await expectContent(check, await createVolume(check, 'b', fromVolume(volume)), 'source', 'the clone')
    },
  },
  {
    id: 'clone/independent',
    title: 'writing to a clone does not change its source',
    clause: POPULATED,
    section: 'CreateVolume',
    needs: [...CLONE, 'node'],
    volumes: 2,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      await fill(check, volume, 'source')
      await fill(check, await createVolume(check, 'b', fromVolume(volume)), 'clone')
      await expectContent(check, volume, 'source', 'the source')
    },
  },
  {
    id: 'clone/source-returned',
    title: 'a clone reports its content_source',
    clause:
      'Contains all attributes of the newly created volume that are relevant to the CO along with information required by the Plugin to uniquely identify the volume. This field is REQUIRED. … If specified, indicates that the volume is not empty and is pre-populated with data from the specified source.',
    section: 'CreateVolume',
    needs: CLONE,
    volumes: 2,
    run: async (check) => {
      const { contentSource } = await createVolume(check, 'b', fromVolume(await createVolume(check, 'a')))
      check.expect(contentSource?.type?.$case === 'volume', 'content_source with the volume', 'none')
    },
  },
  {
    id: 'clone/unknown',
    title: 'a clone of a volume that does not exist is refused with NOT_FOUND',
    clause: errorRow('Source does not exist | 5 NOT_FOUND'),
    section: 'CreateVolume',
    needs: CLONE,
    run: (check) =>
      check.refuses('CreateVolume from a missing volume', NO_SUCH_OBJECT, () =>
        check.driver.createVolume(volumeRequest(check, 'a', fromVolume({ volumeId: check.absentId() }))),
      ),
  },
]
