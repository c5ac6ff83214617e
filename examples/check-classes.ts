// A controller: says with an event when a claim names a storage class that does not exist.
import { keyOf, PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from 'holdfast/api'
import { createLogger, createSystemClock, createSystemHost, createSystemRandom, createUuid } from 'holdfast/base'
import { connectApi, createEventRecorder, createInformers, createWorkQueue, DONE, loadKubeconfig, startController, startLeaderElection } from 'holdfast/kube'
import type { RunningController } from 'holdfast/kube'

const [path = 'holdfast.kubeconfig'] = process.argv.slice(2)
const [clock, random] = [createSystemClock(), createSystemRandom()]
const log = createLogger({ clock, format: 'text', write: (line) => void process.stderr.write(line) })
const credentials = await loadKubeconfig({ path, parts: { host: createSystemHost(), clock, env: process.env } })
const parts = { credentials, clock, random, userAgent: 'check-classes' }
const { api, close } = connectApi(parts)
const lease = connectApi(parts) // so that a flood of other requests can't cost the lease

const informers = createInformers({ api, clock, random, log })
const claims = informers.get(PERSISTENT_VOLUME_CLAIMS)
const classes = informers.get(STORAGE_CLASSES)
const queue = createWorkQueue({ clock, random })
const events = createEventRecorder({ api, clock, log, component: 'check-classes' })
claims.onChange(({ key }) => queue.add(key))
classes.onChange(() => {
  for (const claim of claims.all()) queue.add(keyOf(claim))
})
await informers.synced()

const election = startLeaderElection({ api: lease.api, clock, random, log, namespace: 'default', name: 'check-classes', identity: createUuid(random) })
let controller: RunningController | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
election.onChange(({ kind }) => {
  if (kind === 'leading') controller = startController({ name: 'check-classes', queue, reconcile, log })
  // Another process may lead from now on: what this one has begun must not go on.
  else if (controller && kind === 'following') process.exit(1)
  process.stdout.write(`${kind}\n`)
})

function reconcile(key: string) {
  const claim = claims.get(key)
  const name = claim?.spec.storageClassName
  if (claim && name && !classes.get(name)) events.record(claim, 'Warning', 'NoSuchClass', `there is no storage class ${name}`)
  return Promise.resolve(DONE)
}

async function stop(): Promise<void> {
  await controller?.stop()
  await events.flush()
  await election.stop()
  await informers.stop()
  close()
  lease.close()
}
