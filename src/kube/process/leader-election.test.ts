import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import type { Lease } from '../../api/kinds/lease.ts'
import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import type { Random } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import type { SimulatedClock } from '../../base/simulated-clock.ts'
import { leaseName } from '../../api/lease-name.ts'
import { startLeaderElection } from './leader-election.ts'
import type { LeaderElection, LeaderElectionOptions } from './leader-election.ts'
import { createScriptedApi } from '../testing/scripted-api.ts'

const LEASE = { namespace: 'kube-system', name: 'external-attacher-leader-hostpath' }

function open() {
  const clock = createSimulatedClock()
  const server = createScriptedApi(clock)
  const start = (identity: string, options: Partial<LeaderElectionOptions> = {}): LeaderElection =>
    startLeaderElection({
      api: server.api,
      clock,
      random: createSeededRandom(1),
      log: createSilentLogger(),
      ...LEASE,
      identity,
      ...options,
    })
  const lease = (): Lease => server.objects(LEASES)[0] as Lease
  return { clock, server, start, lease }
}

/** A machine whose wall clock is wrong. */
const skewed = (clock: Clock, byMs: number): Clock => ({ ...clock, nowMs: () => clock.nowMs() + byMs })

/** Time until the election leads. */
async function timeToLead(clock: SimulatedClock, election: LeaderElection, mostMs = 120_000): Promise<number> {
  const startMs = clock.monotonicMs()
  while (!election.isLeading() && clock.monotonicMs() - startMs < mostMs) await clock.advance(100)
  return clock.monotonicMs() - startMs
}

describe('the names of leases', () => {
  for (const [text, name] of [
    ['external-attacher-leader-hostpath.csi.k8s.io', 'external-attacher-leader-hostpath-csi-k8s-io'],
    ['com.example/driver_1', 'com-example-driver-1'],
    ['ends.with.', 'ends-with-X'],
    ['Node-7', 'Node-7'],
  ] as const) {
    it(`make ${name} of ${text}`, () => assert.equal(leaseName(text), name))
  }
})

describe('leader election', () => {
  it('takes a lease that nobody has, under sanitised names and with the labels', async () => {
    const { clock, start, lease } = open()
    const election = start('host.example', { name: 'driver.example.com', labels: { app: 'csi' } })
    await clock.advance(0)
    assert.equal(election.isLeading(), true)
    assert.deepEqual(election.state(), { kind: 'leading', term: 1 })
    const { metadata, spec } = lease()
    assert.deepEqual(
      [metadata.namespace, metadata.name, metadata.labels],
      ['kube-system', 'driver-example-com', { app: 'csi' }],
    )
    assert.deepEqual(spec, {
      holderIdentity: 'host-example',
      leaseDurationSeconds: 15,
      acquireTime: '2030-01-01T00:00:00.000000Z',
      renewTime: '2030-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    })
    await election.stop()
  })

  it('keeps the lease by renewing it, with one request each time', async () => {
    const { clock, server, start, lease } = open()
    const election = start('one')
    await clock.advance(0)
    server.calls.length = 0
    await clock.advance(600_000)
    assert.equal(election.isLeading(), true)
    assert.deepEqual(election.state(), { kind: 'leading', term: 1 })
    assert.equal(server.calls.length, 120)
    assert.deepEqual(
      [lease().spec?.acquireTime, lease().spec?.renewTime],
      ['2030-01-01T00:00:00.000000Z', '2030-01-01T00:10:00.000000Z'],
    )
    await election.stop()
  })

  it('lets a second one follow, who names the leader', async () => {
    const { clock, start } = open()
    const one = start('one')
    await clock.advance(0)
    const two = start('two')
    await clock.advance(300_000)
    assert.deepEqual(two.state(), { kind: 'following', holder: 'one' })
    assert.deepEqual([one.isLeading(), two.isLeading()], [true, false])
    await Promise.all([one.stop(), two.stop()])
  })

  it('asks as follower after one to 2.2 retry periods', async () => {
    const { clock, server, start } = open()
    server.put(LEASES, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: LEASE,
      spec: { holderIdentity: 'other', leaseDurationSeconds: 3600 },
    })
    const times: number[] = []
    server.before = () => void times.push(clock.monotonicMs())
    const two = start('two')
    await clock.advance(600_000)
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    assert.ok(
      gaps.every((gap) => gap >= 5000 && gap <= 11_000),
      gaps.join(),
    )
    assert.ok(new Set(gaps).size > 10, gaps.join())
    await two.stop()
  })

  it('takes over only when the lease has not changed for as long as it is good, by its own clock', async () => {
    for (const skewMs of [0, 86_400_000, -86_400_000]) {
      const { clock, server, start, lease } = open()
      let isAlive = true
      const one = start('one', {
        api: overLink(server.api, clock, createSeededRandom(1), () => (isAlive ? 'fine' : 'dead')),
      })
      await clock.advance(60_000)
      const two = start('two', { clock: skewed(clock, skewMs) })
      await clock.advance(5000)
      const renewedMs = clock.monotonicMs()
      isAlive = false
      const took = await timeToLead(clock, two)
      assert.ok(clock.monotonicMs() - renewedMs >= 15_000, `took over after ${took} ms with a clock ${skewMs} ms off`)
      assert.ok(took <= 15_000 + 2 * 11_000, `took over only after ${took} ms`)
      assert.equal(one.isLeading(), false)
      assert.equal(lease().spec?.holderIdentity, 'two')
      assert.equal(lease().spec?.leaseTransitions, 1)
      await Promise.all([one.stop(), two.stop(), clock.advance(5000)])
    }
  })

  it('stops leading before the lease expires when renewals fail, and says so once', async () => {
    const { clock, server, start } = open()
    const one = start('one')
    await clock.advance(0)
    const states: string[] = []
    one.onChange(({ kind }) => void states.push(`${kind} at ${clock.monotonicMs()}`))
    server.before = () => {
      throw new ApiError('ServiceUnavailable', 'away')
    }
    await clock.advance(9_999)
    assert.equal(one.isLeading(), true)
    await clock.advance(1)
    assert.equal(one.isLeading(), false)
    assert.deepEqual(states, ['following at 10000'])
    server.before = () => {}
    await clock.advance(12_000)
    assert.deepEqual(one.state(), { kind: 'leading', term: 2 })
    await one.stop()
  })

  it('survives a renewal that fails, by not waiting the whole period for the next', async () => {
    const { clock, server, start } = open()
    const one = start('one')
    await clock.advance(0)
    let failures = 4
    server.before = () => {
      if (failures-- > 0) throw new ApiError('ServiceUnavailable', 'away')
    }
    await clock.advance(60_000)
    assert.deepEqual(one.state(), { kind: 'leading', term: 1 })
    await one.stop()
  })

  it('stops leading in time even when a renewal hangs, and whatever the API does with the signal', async () => {
    const { clock, server, start } = open()
    let hangs = false
    const api: Api = {
      ...server.api,
      update: (type, object, options) => (hangs ? new Promise(() => {}) : server.api.update(type, object, options)),
    }
    const one = start('one', { api })
    await clock.advance(7000)
    hangs = true
    await clock.advance(7999)
    assert.equal(one.isLeading(), true)
    await clock.advance(1)
    assert.equal(one.isLeading(), false)
    hangs = false
    await clock.advance(20_000)
    assert.equal(one.isLeading(), true)
    hangs = true
    await clock.advance(6000)
    let stopped = false
    void one.stop().then(() => (stopped = true))
    await clock.advance(5000)
    assert.equal(stopped, true)
    assert.equal(clock.pendingTimers(), 0)
  })

  it('counts from before it asked, not from the answer', async () => {
    const { clock, server, start } = open()
    const one = start('one')
    await clock.advance(0)
    server.after = () => sleep(clock, 4000)
    await clock.advance(9000)
    // Requested at 5 s, answered at 9 s.
    server.before = () => {
      throw new ApiError('ServiceUnavailable', 'away')
    }
    await clock.advance(5999)
    assert.equal(one.isLeading(), true)
    await clock.advance(1)
    assert.equal(one.isLeading(), false)
    await one.stop()
  })

  it('ignores the answer to a renewal that comes after its time', async () => {
    const { clock, server, start } = open()
    // An API that ignores the signal.
    const { get, create, update } = server.api
    const api: Api = {
      ...server.api,
      get: (type, ref) => get(type, ref),
      create: (type, object) => create(type, object),
      update: (type, object) => update(type, object),
    }
    const one = start('one', { api })
    await clock.advance(0)
    const states: string[] = []
    one.onChange(({ kind }) => void states.push(kind))
    server.after = async () => {
      await sleep(clock, 30_000)
    }
    await clock.advance(120_000)
    // Each renewal arrives and extends the lease, but its response is never in time.
    assert.equal(one.isLeading(), false)
    assert.deepEqual(states, ['following'])
    server.after = () => {}
    await clock.advance(20_000)
    assert.equal(one.isLeading(), true)
    await one.stop()
  })

  it('gives the lease back on stop, so that the other leads without waiting for it to expire', async () => {
    const { clock, start, lease } = open()
    const one = start('one')
    await clock.advance(0)
    const two = start('two')
    await clock.advance(1000)
    const stopped = one.stop()
    assert.equal(one.isLeading(), true)
    await stopped
    assert.equal(one.isLeading(), false)
    assert.deepEqual([lease().spec?.holderIdentity, lease().spec?.leaseDurationSeconds], ['', 1])
    assert.ok((await timeToLead(clock, two)) <= 11_000)
    assert.equal(lease().spec?.leaseTransitions, 1)
    await two.stop()
  })

  it('is not leading any more before the lease is given back', async () => {
    const { clock, server, start } = open()
    const one = start('one')
    await clock.advance(0)
    const leading: boolean[] = []
    server.before = () => void leading.push(one.isLeading())
    await one.stop()
    assert.deepEqual(leading, [false, false])
  })

  it('gives back also what a request that was on its way got', async () => {
    const { clock, server, start, lease } = open()
    const gate = Promise.withResolvers<void>()
    server.after = ({ verb }) => (verb === 'create' ? gate.promise : undefined)
    const one = start('one')
    await clock.advance(0)
    assert.equal(lease().spec?.holderIdentity, 'one')
    await one.stop()
    gate.resolve()
    await clock.advance(0)
    assert.equal(lease().spec?.holderIdentity, '')
    assert.equal(one.isLeading(), false)
  })

  it('does not touch the lease of another on stop', async () => {
    const { clock, start, lease } = open()
    const one = start('one')
    await clock.advance(0)
    const two = start('two')
    await clock.advance(1000)
    await two.stop()
    assert.equal(lease().spec?.holderIdentity, 'one')
    await one.stop()
  })

  it('stops once, however often it is told to, and when the server is away', async () => {
    const { clock, server, start } = open()
    const one = start('one')
    await clock.advance(0)
    const states: string[] = []
    one.onChange(({ kind }) => void states.push(kind))
    server.before = () => new Promise(() => {})
    const stops = Promise.all([one.stop(), one.stop()])
    await clock.advance(5000)
    await stops
    await one.stop()
    assert.deepEqual(states, ['stopped'])
    assert.equal(clock.pendingTimers(), 0)
  })

  it('takes up its own lease at once after a restart', async () => {
    const { clock, server, start } = open()
    const one = start('one')
    await clock.advance(0)
    server.before = () => new Promise(() => {})
    await Promise.all([one.stop(), clock.advance(5000)])
    server.before = () => {}
    const again = start('one')
    await clock.advance(0)
    assert.equal(again.isLeading(), true)
    await again.stop()
  })

  it('keeps the lease when somebody else has edited or deleted it', async () => {
    const { clock, server, start, lease } = open()
    const one = start('one')
    await clock.advance(1000)
    server.put(LEASES, { ...lease(), metadata: { ...lease().metadata, labels: { edited: 'yes' } } })
    await clock.advance(30_000)
    assert.deepEqual(one.state(), { kind: 'leading', term: 1 })
    assert.deepEqual(lease().metadata.labels, { edited: 'yes' })
    server.remove(LEASES, LEASE)
    await clock.advance(30_000)
    assert.deepEqual(one.state(), { kind: 'leading', term: 1 })
    await one.stop()
  })

  it('follows at once when it sees that another holds the lease', async () => {
    const { clock, server, start, lease } = open()
    const one = start('one')
    await clock.advance(0)
    server.put(LEASES, { ...lease(), spec: { ...lease().spec, holderIdentity: 'thief' } })
    await clock.advance(5000)
    assert.deepEqual(one.state(), { kind: 'following', holder: 'thief' })
    await one.stop()
  })

  it('leads alone when two create the lease at the same time', async () => {
    const { clock, server, start } = open()
    server.before = ({ verb }) => (verb === 'create' ? sleep(clock, 10) : undefined)
    const elections = [start('one'), start('two')]
    await clock.advance(100)
    assert.deepEqual(
      elections.map((election) => election.isLeading()),
      [true, false],
    )
    await Promise.all(elections.map((election) => election.stop()))
  })

  it('waits as long as its own leases are good for one that does not say', async () => {
    const { clock, server, start } = open()
    server.put(LEASES, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: LEASE,
      spec: { holderIdentity: 'other' },
    })
    const one = start('one')
    assert.ok((await timeToLead(clock, one)) >= 15_000)
    await one.stop()
  })

  it('goes on when a listener fails', async () => {
    const { clock, start } = open()
    const one = start('one')
    one.onChange(() => {
      throw new Error('a mistake')
    })
    await clock.advance(20_000)
    assert.equal(one.isLeading(), true)
    await one.stop()
  })

  it('refuses times with which two could lead', () => {
    const { start } = open()
    assert.throws(
      () => start('one', { leaseDurationMs: 10_000, renewDeadlineMs: 10_000 }),
      /lease duration has to be longer/,
    )
    assert.throws(
      () => start('one', { renewDeadlineMs: 6_000, retryPeriodMs: 5_000 }),
      /renew deadline has to be longer/,
    )
  })

  it('never has two leaders at one instant, whatever is slow, cut off, lost or killed, and one in the end', async () => {
    const event = fc.record({
      afterMs: fc.nat(12_000),
      what: fc.constantFrom('stop', 'kill', 'start', 'cut', 'cut', 'mend', 'mend'),
      which: fc.nat(5),
    })
    const times = fc.constantFrom(
      { renewDeadlineMs: 10_000, retryPeriodMs: 5_000 },
      { renewDeadlineMs: 14_500, retryPeriodMs: 2_000 },
      { renewDeadlineMs: 7_000, retryPeriodMs: 1_000 },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        times,
        fc.array(event, { minLength: 5, maxLength: 30 }),
        async (seed, options, events) => {
          const { clock, server, start } = open()
          const random = createSeededRandom(seed)
          server.before = troubleOf(random, clock)
          server.after = troubleOf(random, clock)
          const machines: Machine[] = []
          const alive = (): Machine[] => machines.filter(({ link }) => link !== 'dead')
          const startOne = (): void => {
            const machine: Machine = { link: 'fine', election: undefined as never }
            const api = overLink(server.api, clock, random, () => machine.link)
            machine.election = start(`host-${machines.length}`, {
              ...options,
              api,
              random,
              clock: skewed(clock, (random.fraction() - 0.5) * 1e9),
            })
            machines.push(machine)
            // The number of leaders can exceed one only when an election changes.
            machine.election.onChange(() => void (leaders() > 1 && wrong.push(clock.monotonicMs())))
          }
          const leaders = (): number => alive().filter(({ election }) => election.isLeading()).length
          const wrong: number[] = []
          for (let count = 0; count < 3; count++) startOne()
          for (const { afterMs, what, which } of events) {
            await clock.advance(afterMs)
            const machine = alive().at(which % alive().length)
            if (what === 'start') startOne()
            else if (machine && what === 'stop') void machine.election.stop()
            else if (machine) machine.link = what === 'kill' ? 'dead' : what === 'cut' ? 'cut' : 'fine'
          }
          startOne()
          server.before = () => {}
          server.after = () => {}
          for (const machine of alive()) machine.link = 'fine'
          await clock.advance(120_000)
          assert.deepEqual(wrong, [])
          assert.equal(leaders(), 1)
          await Promise.all([...machines.map(({ election }) => election.stop()), clock.advance(60_000)])
        },
      ),
      { numRuns: 100 },
    )
  })
})

/** Delays up to a minute, refusals, lost answers. */
const troubleOf = (random: Random, clock: Clock) => async (): Promise<void> => {
  if (random.below(4) === 0) await sleep(clock, random.below(random.below(3) === 0 ? 60_000 : 7_000))
  if (random.below(8) === 0) throw new ApiError('ServiceUnavailable', 'trouble', { code: 0 })
}

type Link = 'fine' | 'cut' | 'dead'
type Machine = { link: Link; election: LeaderElection }

/** Over a broken link, either no request or no response arrives; a dead machine does nothing at all. */
function overLink(api: Api, clock: Clock, random: Random, link: () => Link): Api {
  const send = async <R>(act: () => Promise<R>): Promise<R> => {
    if (link() === 'dead') return new Promise(() => {})
    if (link() === 'cut' && random.below(2) === 0) await sleep(clock, 1000)
    const result = link() === 'cut' ? undefined : await act()
    if (link() !== 'fine' || result === undefined) throw new ApiError('ServiceUnavailable', 'cut off', { code: 0 })
    return result
  }
  return {
    ...api,
    get: (type, ref, options) => send(() => api.get(type, ref, options)),
    create: (type, object, options) => send(() => api.create(type, object, options)),
    update: (type, object, options) => send(() => api.update(type, object, options)),
  }
}
