import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { ApiError } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { LEASES } from '../../../api/kinds/lease.ts'
import { openTestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../../../apiserver/testing/open-test-core.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { createSeededRandom } from '../../../base/random.ts'
import { recordWrites } from '../../../kube/testing/record-writes.ts'
import { DEFAULT_PROVISION_SETTINGS } from '../provisioner-options.ts'
import { planVolume } from '../plan-volume.ts'
import type { ProvisionPlan } from '../provision-view.ts'
import { testCaches } from '../testing/caches.ts'
import { DRIVER, testClaim, testClass } from '../testing/objects.ts'
import { JOURNAL_ANNOTATION, JournalError, openJournal } from './journal.ts'
import type { Journal } from './journal.ts'
import { formatJournal, parseJournal, prepareEntry } from './journal-text.ts'
import type { JournalEntry } from './journal-text.ts'

const REF = { namespace: 'kube-system', name: 'journal' }

function planOf(uid: string, change: Partial<ProvisionPlan['request']> = {}): ProvisionPlan {
  const storageClass = testClass({ mountOptions: ['ro'], parameters: { colour: 'green' } })
  const claim = testClaim({ volumeAttributesClassName: 'gold' }, { uid, name: `claim-${uid}` })
  const settings = { ...DEFAULT_PROVISION_SETTINGS, useAttributesClasses: false }
  const planned = planVolume({
    driverName: DRIVER,
    claim,
    class: storageClass,
    caches: testCaches(),
    read: {},
    settings,
  })
  if (planned.kind !== 'planned') throw new Error(planned.kind)
  return {
    ...planned.plan,
    secrets: { provisioner: { namespace: 'n', name: 's' } },
    request: { ...planned.plan.request, ...change },
  }
}
const entryOf = (uid: string, change: Partial<ProvisionPlan['request']> = {}): JournalEntry => ({
  uid,
  plan: planOf(uid, change),
})
const place = (zone: string) => ({ segments: { zone } })

describe('the text', () => {
  const roundTrip = (...entries: JournalEntry[]): JournalEntry[] =>
    parseJournal(formatJournal(entries.map(prepareEntry)))

  test('S3-168: gives back the whole request but the secret values, of which it has the references', () => {
    const given = entryOf('u1', {
      secrets: { word: 'open sesame' },
      volumeContentSource: { type: { $case: 'snapshot', value: { snapshotId: 'snap' } } },
    })
    const text = formatJournal([prepareEntry(given)])
    ok(!text.includes('sesame') && !text.includes(Buffer.from('open sesame').toString('base64').slice(0, 12)))
    const [back] = roundTrip(given)
    deepEqual(back?.plan.request, { ...given.plan.request, secrets: {} })
    deepEqual(back?.plan.secrets, given.plan.secrets)
    const { spec, metadata } = back?.plan.claim ?? {}
    deepEqual(
      [
        metadata?.uid,
        metadata?.name,
        spec?.accessModes,
        spec?.volumeMode,
        spec?.storageClassName,
        spec?.volumeAttributesClassName,
      ],
      ['u1', 'claim-u1', ['ReadWriteOnce'], 'Filesystem', 'fast', 'gold'],
    )
    deepEqual([back?.plan.class.reclaimPolicy, back?.plan.class.mountOptions], ['Delete', ['ro']])
  })
  test('places: their order is kept, and a list that several have is there once', () => {
    const requisite = ['a', 'b', 'c'].map(place)
    const rotated = { requisite, preferred: ['b', 'c', 'a'].map(place) }
    const unordered = { requisite, preferred: [] }
    const back = roundTrip(
      entryOf('u1', { accessibilityRequirements: rotated }),
      entryOf('u2', { accessibilityRequirements: unordered }),
    )
    deepEqual(
      back.map(({ plan }) => plan.request.accessibilityRequirements),
      [rotated, unordered],
    )
    const text = formatJournal(
      [
        entryOf('u1', { accessibilityRequirements: rotated }),
        entryOf('u2', { accessibilityRequirements: unordered }),
      ].map(prepareEntry),
    )
    equal(text.split('"zone":"a"').length - 1, 1)
  })
  test('five thousand places of nodes fit for many claims at once', () => {
    const requisite = Array.from({ length: 5000 }, (_, index) => ({
      segments: { 'topology.example.com/node': `ip-10-0-${index >> 8}-${index & 255}.eu-central-1.compute.internal` },
    }))
    const entries = Array.from({ length: 100 }, (_, index) =>
      entryOf(`u${index}`, {
        accessibilityRequirements: { requisite, preferred: [...requisite.slice(index), ...requisite.slice(0, index)] },
      }),
    )
    const text = formatJournal(entries.map(prepareEntry))
    ok(text.length < 150_000, String(text.length))
    deepEqual(
      parseJournal(text).map(({ plan }) => plan.request.accessibilityRequirements?.preferred[0]),
      entries.map(({ plan }) => plan.request.accessibilityRequirements?.preferred[0]),
    )
  })
  test('of another version is refused', () => {
    let message = ''
    try {
      parseJournal('{"version":2,"lists":[],"volumes":[]}')
    } catch (error) {
      message = String(error)
    }
    match(message, /version 2/)
  })
})

type Opened = TestCore & {
  journal: Journal
  writes: string[]
  open(identity: string, api?: Api): Promise<Journal | undefined>
}

async function openUnderTest(context: TestContext): Promise<Opened> {
  const core = await openTestCore(context)
  const writes: string[] = []
  const open = (identity: string, api = recordWrites(core.api, writes)): Promise<Journal | undefined> =>
    openJournal({ api, clock: core.clock, log: createSilentLogger(), ...REF, identity }, new AbortController().signal)
  const journal = await open('first')
  if (!journal) throw new Error('no journal')
  return { ...core, journal, writes, open }
}
const textOf = async (api: Api): Promise<string> =>
  (await api.get(LEASES, REF)).metadata.annotations?.[JOURNAL_ANNOTATION] ?? ''
const uidsOf = async (api: Api): Promise<string[]> => parseJournal(await textOf(api)).map(({ uid }) => uid)

describe('the journal', () => {
  test('an entry is durable when its promise resolves, and the next life finds it', async (context) => {
    const { journal, api, open } = await openUnderTest(context)
    deepEqual(journal.left, [])
    await journal.record(entryOf('u1'))
    deepEqual(await uidsOf(api), ['u1'])
    const next = await open('second')
    deepEqual(
      next?.left.map(({ uid }) => uid),
      ['u1'],
    )
  })
  test('entries that come together share one write, those that come meanwhile the next', async (context) => {
    const { journal, writes } = await openUnderTest(context)
    writes.length = 0
    await Promise.all(Array.from({ length: 50 }, (_, index) => journal.record(entryOf(`u${index}`))))
    deepEqual(writes, ['update leases journal'])
  })
  test('its writes go before all other requests, because many claims wait for each of them', async (context) => {
    const { api, open } = await openUnderTest(context)
    const urgencies: unknown[] = []
    const update: Api['update'] = (type, object, options) => {
      urgencies.push(options?.urgency)
      return api.update(type, object, options)
    }
    const journal = await open('second', { ...api, update })
    await journal?.record(entryOf('u1'))
    deepEqual(urgencies, ['now', 'now'])
  })
  test('what was forgotten leaves with the next write, or after a while', async (context) => {
    const { journal, api, clock, writes } = await openUnderTest(context)
    await journal.record(entryOf('u1'))
    writes.length = 0
    journal.forget('u1')
    await journal.record(entryOf('u2'))
    deepEqual(await uidsOf(api), ['u2'])
    deepEqual(writes, ['update leases journal'])
    journal.forget('u2')
    await clock.advance(4999)
    deepEqual(await uidsOf(api), ['u2'])
    await clock.advance(1)
    deepEqual(await uidsOf(api), [])
  })
  test('whoever opens it takes it over: the former owner can begin nothing more', async (context) => {
    const { journal, open, api, clock } = await openUnderTest(context)
    await journal.record(entryOf('u1'))
    const next = await open('second')
    const refused = rejects(journal.record(entryOf('u2')), JournalError)
    for (let turn = 0; turn < 5; turn++) await clock.advance(200)
    await refused
    await rejects(journal.lost, /taken over by second/)
    await next?.record(entryOf('u3'))
    deepEqual(await uidsOf(api), ['u1', 'u3'])
  })
  test('a write of which nothing is known is found out about before anything is resolved', async (context) => {
    const { api, open, clock } = await openUnderTest(context)
    let failures = 2
    const flaky: Api = {
      ...api,
      update: async (type, object, options) => {
        const answer = await api.update(type, object, options)
        if (failures-- > 0) throw new ApiError('InternalError', 'the answer was lost')
        return answer
      },
    }
    const waiting = open('second', flaky)
    // The first failure is the take-over: whoever starts the role tries again.
    await rejects(waiting, /lost/)
    failures = 0
    const journal = await open('second', flaky)
    failures = 2
    const recorded = journal?.record(entryOf('u1'))
    for (let turn = 0; turn < 10; turn++) await clock.advance(200)
    await recorded
    deepEqual(await uidsOf(api), ['u1'])
  })
  test('somebody else wrote to the Lease: nothing of theirs is lost, and it is still ours', async (context) => {
    const { api, journal, clock } = await openUnderTest(context)
    await api.patch(LEASES, REF, { type: 'merge', value: { metadata: { labels: { team: 'storage' } } } })
    const recorded = journal.record(entryOf('u1'))
    for (let turn = 0; turn < 5; turn++) await clock.advance(200)
    await recorded
    const lease = await api.get(LEASES, REF)
    equal(lease.metadata.labels?.['team'], 'storage')
    deepEqual(await uidsOf(api), ['u1'])
  })
  test('a text that can not be read is not thrown away: it says what to do', async (context) => {
    const { api, open } = await openUnderTest(context)
    await api.patch(LEASES, REF, { type: 'merge', value: { metadata: { annotations: { [JOURNAL_ANNOTATION]: '{' } } } })
    await rejects(
      open('second'),
      /Check its annotation provisioner\.holdfast\.dev\/volumes-in-flight, and remove it once/,
    )
    equal(await textOf(api), '{')
  })
  test('a request that never fits is sent without it, unless the journal is required', async (context) => {
    const { journal, api, clock } = await openUnderTest(context)
    const random = createSeededRandom(1)
    const huge = entryOf('u1', {
      parameters: { noise: Array.from({ length: 400_000 }, () => String.fromCharCode(33 + random.below(90))).join('') },
    })
    equal(await journal.record(huge), true)
    deepEqual(await uidsOf(api), [])
    const required = await openJournal(
      { api, clock, log: createSilentLogger(), ...REF, identity: 'strict', isRequired: true },
      new AbortController().signal,
    )
    await rejects(required?.record(huge) ?? Promise.resolve(), /too many topologies/)
  })
  test('without the right to write leases there is none, and nothing fails', async (context) => {
    const { api, open } = await openUnderTest(context)
    const forbidden: Api = { ...api, get: () => Promise.reject(new ApiError('Forbidden', 'no')) }
    equal(await open('second', forbidden), undefined)
  })
  test('when it is full, whoever comes is sent away until others have left', async (context) => {
    const { journal, api } = await openUnderTest(context)
    // Noise does not compress.
    const random = createSeededRandom(1)
    const noise = (): string =>
      Array.from({ length: 30_000 }, () => String.fromCharCode(33 + random.below(90))).join('')
    const uids = Array.from({ length: 12 }, (_, index) => `u${index}`)
    const record = (names: readonly string[]): Promise<boolean[]> =>
      Promise.all(names.map((uid) => journal.record(entryOf(uid, { parameters: { noise: noise() } }))))
    const hadRoom = await record(uids)
    const first = uids.filter((_, index) => hadRoom[index])
    ok(first.length > 0 && first.length < 12, `${first.length} of 12 had room`)
    deepEqual(await uidsOf(api), first)
    for (const uid of first) journal.forget(uid)
    const others = uids.filter((uid) => !first.includes(uid)).slice(0, first.length)
    ok((await record(others)).every((had) => had))
    deepEqual(await uidsOf(api), others)
  })
})
