import type { Case } from '../case.ts'
import type { CaseContext } from '../case-context.ts'
import { allVolumes } from '../list-all.ts'
import { createVolume, mountCapability, volumeRequest } from '../volume-steps.ts'
import { errorRow, NO_SUCH_OBJECT } from './clauses.ts'

const LIST = ['controller:CREATE_DELETE_VOLUME', 'controller:LIST_VOLUMES'] as const
const PAGE =
  'If specified (non-zero value), the Plugin MUST NOT return more entries than this number in the response. If the actual number of entries is more than this number, the Plugin MUST set `next_token` in the response'

// A storage system may have thousands of other volumes.
const PAGES_AFTER_CHANGE = 10

// A key that the driver uses, with a value that no node has.
function nowhere(check: CaseContext): { segments: Record<string, string> } {
  const [key] = Object.keys(check.node.features.topology)
  return key === undefined ? check.skip('the node has no topology') : { segments: { [key]: 'holdfast-check-nowhere' } }
}

export const LIST_CASES: readonly Case[] = [
  {
    id: 'list/complete',
    title: 'ListVolumes lists a new volume with its size',
    clause: 'The Plugin SHALL return the information about all the volumes that it knows about.',
    section: 'ListVolumes',
    needs: LIST,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const entry = (await allVolumes(check.driver)).find((one) => one.volume?.volumeId === volume.volumeId)
      check.expect(entry !== undefined, `volume ${volume.volumeId} is listed`, 'it is not')
      const size = entry?.volume?.capacityBytes ?? 0n
      check.expect(size === 0n || size === volume.capacityBytes, `capacity_bytes ${volume.capacityBytes}`, `${size}`)
    },
  },
  {
    id: 'list/pages',
    title: 'a page has at most max_entries, and all pages together have every volume once',
    clause: PAGE,
    section: 'ListVolumes',
    needs: LIST,
    volumes: 4,
    alone: true,
    run: async (check) => {
      const own: string[] = []
      for (const label of ['a', 'b', 'c', 'd']) own.push((await createVolume(check, label)).volumeId)
      const found: string[] = []
      let startingToken = ''
      const whole = (await check.driver.listVolumes({})).entries.length
      for (let page = 0; page <= whole; page++) {
        const { entries, nextToken } = await check.driver.listVolumes({ maxEntries: 2, startingToken })
        check.expect(entries.length <= 2, 'at most 2 volumes', `${entries.length}`)
        found.push(...entries.map(({ volume }) => volume?.volumeId ?? ''))
        startingToken = nextToken
        if (nextToken === '') break
      }
      check.expect(startingToken === '', `the list ends after ${whole} volumes`, 'it goes on')
      for (const id of own) {
        const times = found.filter((one) => one === id).length
        check.expect(times === 1, `volume ${id} once`, `${times} times`)
      }
    },
  },
  {
    id: 'list/changes',
    title: 'a list goes on when volumes come and go between two pages, or its token is refused with ABORTED',
    clause: `${PAGE} … ${errorRow('Invalid `starting_token` | 10 ABORTED')}`,
    section: 'ListVolumes',
    needs: LIST,
    volumes: 4,
    alone: true,
    run: async (check) => {
      const own: string[] = []
      for (const label of ['a', 'b', 'c', 'd']) own.push((await createVolume(check, label)).volumeId)
      let { nextToken } = await check.driver.listVolumes({ maxEntries: 1 })
      // All at once: the volume at which the next page begins is one of them, if the driver has no others.
      for (const volumeId of own) await check.driver.deleteVolume({ volumeId })
      await createVolume(check, 'e')
      for (let page = 1; page <= PAGES_AFTER_CHANGE && nextToken !== ''; page++) {
        const startingToken = nextToken
        const reply = await check.mayRefuse('ListVolumes', ['ABORTED'], () =>
          check.driver.listVolumes({ maxEntries: 2, startingToken }),
        )
        if (!reply) return
        check.expect(reply.entries.length <= 2, 'at most 2 volumes', `${reply.entries.length}`)
        check.expect(reply.nextToken !== startingToken, 'a token for the next page', `the same one: ${startingToken}`)
        nextToken = reply.nextToken
      }
    },
  },
  {
    id: 'list/invalid-token',
    title: 'an invalid starting_token is refused with ABORTED',
    clause: errorRow('Invalid `starting_token` | 10 ABORTED'),
    section: 'ListVolumes',
    needs: ['controller:LIST_VOLUMES'],
    run: (check) =>
      check.refuses('ListVolumes', ['ABORTED'], () => check.driver.listVolumes({ startingToken: check.absentId() })),
  },
  {
    id: 'list/invalid-snapshot-token',
    title: 'an invalid starting_token of ListSnapshots is refused with ABORTED',
    clause: errorRow('Invalid `starting_token` | 10 ABORTED'),
    section: 'ListSnapshots',
    needs: ['controller:LIST_SNAPSHOTS'],
    run: (check) =>
      check.refuses('ListSnapshots', ['ABORTED'], () =>
        check.driver.listSnapshots({ startingToken: check.absentId() }),
      ),
  },
  {
    id: 'get/created',
    title: 'ControllerGetVolume returns a new volume',
    clause: 'A Controller Plugin MUST implement this `ControllerGetVolume` RPC call if it has `GET_VOLUME` capability.',
    section: 'ControllerGetVolume',
    needs: ['controller:CREATE_DELETE_VOLUME', 'controller:GET_VOLUME'],
    volumes: 1,
    run: async (check) => {
      const { volumeId } = await createVolume(check, 'a')
      const { volume } = await check.driver.controllerGetVolume({ volumeId })
      check.expect(volume?.volumeId === volumeId, volumeId, String(volume?.volumeId))
    },
  },
  {
    id: 'get/unknown',
    title: 'ControllerGetVolume of a volume that does not exist fails with NOT_FOUND',
    clause: errorRow('Volume does not exist | 5 NOT_FOUND'),
    section: 'ControllerGetVolume',
    needs: ['controller:GET_VOLUME'],
    run: (check) =>
      check.refuses('ControllerGetVolume', NO_SUCH_OBJECT, () =>
        check.driver.controllerGetVolume({ volumeId: check.absentId() }),
      ),
  },
  {
    id: 'validate/confirms',
    title: 'ValidateVolumeCapabilities confirms the capabilities with which the volume was created',
    clause:
      'This RPC call SHALL return `confirmed` only if all the volume capabilities specified in the request are supported … Volume capabilities supported by the plugin. This field is REQUIRED.',
    section: 'ValidateVolumeCapabilities',
    needs: ['controller:CREATE_DELETE_VOLUME'],
    volumes: 1,
    run: async (check) => {
      const { volumeId, volumeContext, capability } = await createVolume(check, 'a')
      const { confirmed, message } = await check.driver.validateVolumeCapabilities({
        volumeId,
        volumeContext,
        volumeCapabilities: [capability],
      })
      check.expect(confirmed !== undefined, 'confirmed', `not confirmed: ${message || 'no message'}`)
      check.expect((confirmed?.volumeCapabilities.length ?? 0) > 0, 'confirmed with volume_capabilities', 'none')
    },
  },
  {
    id: 'validate/unknown',
    title: 'ValidateVolumeCapabilities of a volume that does not exist fails with NOT_FOUND',
    clause: errorRow('Volume does not exist | 5 NOT_FOUND'),
    section: 'ValidateVolumeCapabilities',
    needs: ['plugin:CONTROLLER_SERVICE'],
    run: (check) =>
      check.refuses('ValidateVolumeCapabilities', NO_SUCH_OBJECT, () =>
        check.driver.validateVolumeCapabilities({
          volumeId: check.absentId(),
          volumeCapabilities: [mountCapability()],
        }),
      ),
  },
  {
    id: 'capacity/not-negative',
    title: 'GetCapacity reports no negative numbers',
    clause: 'This field is REQUIRED. The value of this field MUST NOT be negative.',
    section: 'GetCapacity',
    needs: ['controller:GET_CAPACITY'],
    run: async (check) => {
      const parameters = { ...check.settings.parameters }
      const reply = await check.driver.getCapacity({ parameters, volumeCapabilities: [mountCapability()] })
      const numbers = [reply.availableCapacity, reply.maximumVolumeSize ?? 0n, reply.minimumVolumeSize ?? 0n]
      check.expect(
        numbers.every((number) => number >= 0n),
        'numbers that are not negative',
        numbers.join(),
      )
    },
  },
  {
    id: 'capacity/nowhere',
    title: 'GetCapacity reports no capacity for a topology that does not exist',
    clause:
      'If specified, the Plugin SHALL report the capacity of the storage that can be used to provision volumes that in the specified `accessible_topology`.',
    section: 'GetCapacity',
    needs: ['controller:GET_CAPACITY', 'plugin:VOLUME_ACCESSIBILITY_CONSTRAINTS', 'node'],
    run: async (check) => {
      const reply = await check.driver.getCapacity({ accessibleTopology: nowhere(check) }).catch(() => undefined)
      const available = reply?.availableCapacity ?? 0n
      check.expect(available === 0n, 'available_capacity 0, or an error', `${available}`)
    },
  },
  {
    id: 'topology/accessible',
    title: 'a volume is accessible from the topology that was required',
    clause:
      'If requisite is specified, the provisioned volume MUST be accessible from at least one of the requisite topologies.',
    section: 'CreateVolume',
    needs: ['controller:CREATE_DELETE_VOLUME', 'plugin:VOLUME_ACCESSIBILITY_CONSTRAINTS', 'node'],
    volumes: 1,
    run: async (check) => {
      const segments = { ...check.node.features.topology }
      if (Object.keys(segments).length === 0) check.skip('the node has no topology')
      const { accessibleTopology } = await createVolume(check, 'a', {
        accessibilityRequirements: { requisite: [{ segments }] },
      })
      const isWithin = (place: Readonly<Record<string, string>>): boolean =>
        Object.entries(place).every(([key, value]) => segments[key] === value)
      const isAccessible =
        accessibleTopology.length === 0 || accessibleTopology.some((place) => isWithin(place.segments))
      check.expect(isAccessible, `accessible from ${JSON.stringify(segments)}`, JSON.stringify(accessibleTopology))
    },
  },
  {
    id: 'topology/nowhere',
    title: 'a volume for a topology that does not exist is refused',
    clause: `If requisite is specified, the provisioned volume MUST be accessible from at least one of the requisite topologies. … ${errorRow('Unable to provision in `accessible_topology` | 8 RESOURCE_EXHAUSTED')}`,
    section: 'CreateVolume',
    needs: ['controller:CREATE_DELETE_VOLUME', 'plugin:VOLUME_ACCESSIBILITY_CONSTRAINTS', 'node'],
    run: (check) =>
      check.refuses('CreateVolume in a topology that does not exist', ['RESOURCE_EXHAUSTED', 'INVALID_ARGUMENT'], () =>
        check.driver.createVolume(
          volumeRequest(check, 'a', {
            accessibilityRequirements: { requisite: [nowhere(check)], preferred: [nowhere(check)] },
          }),
        ),
      ),
  },
]
