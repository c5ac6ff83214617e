import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { LEASES } from '../../src/api/kinds/lease.ts'
import { hasGoSidecars } from './peers.ts'
import { SIDECAR_NAMESPACE } from './sidecar-rbac.ts'
import { canNameHosts, openSidecarStage } from './sidecar-stage.ts'
import type { Maker, SidecarStage } from './sidecar-stage.ts'
import { startAuditedHoldfast, startAuditedKubernetes } from './start-audited-server.ts'
import type { LoggedProgram } from './start-logged.ts'
import { attach, detach, provision, remove, SANITISED_DRIVER } from './volume-story.ts'
import type { ProvisionOptions } from './volume-story.ts'

const VOLUMES = 50
const FEW = 5
const PROVISIONER_LEASE = SANITISED_DRIVER
const ATTACHER_LEASE = `external-attacher-leader-${SANITISED_DRIVER}`
const QUICK_ELECTION = [
  '--leader-election-lease-duration=3s',
  '--leader-election-renew-deadline=2s',
  '--leader-election-retry-period=500ms',
]
// A Go sidecar takes a second for a few calls otherwise.
const FLAGS: Record<Maker, readonly string[]> = {
  holdfast: QUICK_ELECTION,
  go: [...QUICK_ELECTION, '--kube-api-qps=200', '--kube-api-burst=400'],
}
const withoutGo = hasGoSidecars() ? false : 'the Go sidecars are not beside the peers'
const withoutHosts = withoutGo || canNameHosts() ? withoutGo : 'programs cannot be given host names here'

async function holdersOf({ cluster }: SidecarStage): Promise<string[]> {
  const leases = [PROVISIONER_LEASE, ATTACHER_LEASE].map((name) =>
    cluster.api.get(LEASES, { namespace: SIDECAR_NAMESPACE, name }),
  )
  return (await Promise.all(leases)).map(({ spec }) => spec?.holderIdentity ?? '')
}

/** The whole life of all volumes. */
async function liveThrough(
  stage: SidecarStage,
  prefix: string,
  count: number,
  options: ProvisionOptions = {},
): Promise<void> {
  const volumes = await provision(stage, prefix, count, options)
  await attach(stage, volumes)
  await detach(stage, volumes)
  await remove(stage, volumes)
  deepEqual(await stage.backend(), [], 'the driver has nothing left')
  deepEqual(stage.leftovers(), [], 'nor has its disk')
}

/** Lines of one of our logs that somebody should look at. */
const complaints = (program: LoggedProgram): string[] =>
  program
    .log()
    .split('\n')
    .filter((line) => /"level":"error"|Forbidden|forbidden/.test(line))

// What may be refused, since manifests don't grant it and the sidecars live without: the attacher's events, nodes and the objects of the
// first alpha, where nodes may say how a driver calls them, and classes of attributes where no claim names one. Nothing is refused to csi-sidecar,
// which has the rights that its roles declare.
const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  'csi-provisioner': ['list csinodeinfos', 'list volumeattributesclasses', 'list volumepopulators'],
  'csi-attacher': ['create events', 'list csinodeinfos', 'list nodes'],
}

/** Nothing was refused but what is optional, and nobody asked for that more than once in each of its runs. */
function checkRequests({ server }: SidecarStage, runs: number): void {
  const requests = server.requests()
  ok(requests.length > 0, 'the server wrote down what was asked')
  const refused = new Map<string, number>()
  for (const { user, verb, resource, code } of requests) {
    if (code !== 401 && code !== 403) continue
    const account = user.slice(user.lastIndexOf(':') + 1)
    const what = `${verb} ${resource}`
    ok(OPTIONAL[account]?.includes(what), `${account} was refused to ${what}`)
    refused.set(`${account}: ${what}`, (refused.get(`${account}: ${what}`) ?? 0) + 1)
  }
  for (const [what, times] of refused) ok(times <= runs, `${what} was refused ${times} times in ${runs} runs`)
}

describe('the sidecars on kube-apiserver, with the rights that manifests give them', () => {
  let stage: SidecarStage
  before(async () => {
    stage = await openSidecarStage(startAuditedKubernetes)
  })
  after(() => stage.close())

  test(`S3-38, S3-129, S3-130: csi-provisioner and csi-attacher bring ${VOLUMES} volumes to life and away again`, () =>
    stage.telling(async () => {
      const programs = [stage.start('csi-provisioner', 'holdfast'), stage.start('csi-attacher', 'holdfast')]
      await Promise.all(programs.map(({ ready }) => ready))
      await liveThrough(stage, 'apart', VOLUMES)
      for (const holder of await holdersOf(stage)) notEqual(holder, '')
      for (const program of programs) equal(await program.stop(), 0)
      deepEqual(await holdersOf(stage), ['', ''], 'the leases were given back')
      deepEqual(programs.flatMap(complaints), [])
      checkRequests(stage, 1)
    }))

  test('S3-38, S3-129, S3-130: one process with both does the same', () =>
    stage.telling(async () => {
      const sidecar = stage.startTogether()
      await sidecar.ready
      await liveThrough(stage, 'together', VOLUMES, { heldForAttacher: true })
      for (const holder of await holdersOf(stage)) notEqual(holder, '')
      equal(await sidecar.stop(), 0)
      deepEqual(complaints(sidecar), [])
      checkRequests(stage, 1)
    }))

  for (const [provisionedBy, attachedBy] of [
    ['go', 'holdfast'],
    ['holdfast', 'go'],
  ] as const) {
    test(
      `a provisioner of ${provisionedBy} and an attacher of ${attachedBy} work on the same volumes`,
      { skip: withoutGo },
      () =>
        stage.telling(async () => {
          const programs = [
            stage.start('csi-provisioner', provisionedBy, { flags: FLAGS[provisionedBy] }),
            stage.start('csi-attacher', attachedBy, { flags: FLAGS[attachedBy] }),
          ]
          await liveThrough(stage, `by-${provisionedBy}`, FEW)
          for (const program of programs) await program.stop()
        }),
    )
  }
})

describe('the Go sidecars on our API server', { skip: withoutGo }, () => {
  let stage: SidecarStage
  before(async () => {
    stage = await openSidecarStage(startAuditedHoldfast)
  })
  after(() => stage.close())

  const startBoth = (maker: Maker, host: string): LoggedProgram[] =>
    (['csi-provisioner', 'csi-attacher'] as const).map((sidecar) =>
      stage.start(sidecar, maker, { flags: FLAGS[maker], ...(withoutHosts ? {} : { host }) }),
    )

  test('they bring volumes to life and away again, with the rights of their manifests', () =>
    stage.telling(async () => {
      const programs = startBoth('go', 'pod-1')
      await liveThrough(stage, 'go', FEW)
      for (const holder of await holdersOf(stage)) notEqual(holder, '')
      for (const program of programs) await program.stop()
      checkRequests(stage, 1)
    }))

  for (const [first, second] of [
    ['go', 'holdfast'],
    ['holdfast', 'go'],
  ] as const) {
    test(
      `what sidecars of ${first} began, those of ${second} end once the leases are theirs`,
      { skip: withoutHosts },
      () =>
        stage.telling(async () => {
          const leading = startBoth(first, `${first}-pod`)
          const volumes = await provision(stage, `from-${first}`, FEW)
          await attach(stage, volumes)
          const waiting = startBoth(second, `${second}-pod`)
          // A replica of ours adds something of its own to the name of its host: two on one host are two.
          for (const holder of await holdersOf(stage)) match(holder, new RegExp(`^${first}-pod`))
          for (const program of leading) await program.stop()

          await detach(stage, volumes)
          await remove(stage, volumes)
          deepEqual(await stage.backend(), [])
          for (const holder of await holdersOf(stage)) match(holder, new RegExp(`^${second}-pod`))
          for (const program of waiting) await program.stop()
        }),
    )
  }
})
