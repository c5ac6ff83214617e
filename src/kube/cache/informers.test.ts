import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { createInformers } from './informers.ts'
import { createScriptedApi } from '../testing/scripted-api.ts'

function open() {
  const clock = createSimulatedClock()
  const server = createScriptedApi(clock)
  const informers = createInformers({
    api: server.api,
    clock,
    random: createSeededRandom(1),
    log: createSilentLogger(),
  })
  return { clock, server, informers }
}

describe('informers', () => {
  it('share one cache for a kind and scope', async () => {
    const { clock, server, informers } = open()
    const first = informers.get(CONFIG_MAPS)
    assert.equal(informers.get(CONFIG_MAPS), first)
    assert.equal(informers.get(CONFIG_MAPS, {}), first)
    assert.notEqual(informers.get(CONFIG_MAPS, { namespace: 'default' }), first)
    assert.notEqual(informers.get(SECRETS), first)
    await informers.synced()
    await clock.advance(0)
    assert.deepEqual(
      server.calls.map(({ plural, options }) => [plural, options.namespace]),
      [
        ['configmaps', undefined],
        ['configmaps', 'default'],
        ['secrets', undefined],
      ],
    )
    await informers.stop()
  })

  it('are synced when all of them are', async () => {
    const { clock, server, informers } = open()
    const gate = Promise.withResolvers<void>()
    server.before = ({ plural }) => (plural === 'secrets' ? gate.promise : undefined)
    informers.get(CONFIG_MAPS)
    informers.get(SECRETS)
    let synced = false
    void informers.synced().then(() => (synced = true))
    await clock.advance(10)
    assert.equal(synced, false)
    gate.resolve()
    await clock.advance(10)
    assert.equal(synced, true)
    await informers.stop()
  })

  it('stop together, and none is started after that', async () => {
    const { clock, server, informers } = open()
    const first = informers.get(CONFIG_MAPS)
    await informers.synced()
    await informers.stop()
    await clock.advance(0)
    assert.deepEqual([server.watches(), clock.pendingTimers()], [0, 0])
    assert.equal(informers.get(CONFIG_MAPS), first)
    assert.throws(() => informers.get(SECRETS), /were stopped/)
  })

  it('ask once for all whether a kind is served, and again after a while or a failure', async () => {
    const clock = createSimulatedClock()
    const answers: (() => Promise<never>)[] = []
    let asked = 0
    const list = (() => {
      asked++
      return (answers.shift() ?? (() => Promise.reject(new ApiError('Forbidden', 'no'))))()
    }) as unknown as Api['list']
    // Only `list` is called.
    const informers = createInformers({
      api: { list } as Api,
      clock,
      random: createSeededRandom(1),
      log: createSilentLogger(),
    })
    const { signal } = new AbortController()
    assert.deepEqual(await Promise.all([informers.isServed(SECRETS, signal), informers.isServed(SECRETS, signal)]), [
      false,
      false,
    ])
    assert.equal(await informers.isServed(SECRETS, signal), false)
    assert.equal(asked, 1)
    await clock.advance(60_000)
    answers.push(() => Promise.reject(new ApiError('InternalError', 'unwell')))
    await assert.rejects(informers.isServed(SECRETS, signal), /unwell/)
    assert.equal(await informers.isServed(SECRETS, signal), false)
    assert.equal(asked, 3)
  })
})
