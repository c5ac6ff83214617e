import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import { createSilentLogger } from '../base/logger.ts'
import { defaultsOf } from '../base/options/index.ts'
import { createSeededRandom } from '../base/random.ts'
import { createInformers } from '../kube/cache/informers.ts'
import type { Informers } from '../kube/cache/informers.ts'
import { createEventRecorder } from '../kube/controller/event-recorder.ts'
import type { RunningRole } from '../kube/process/running-role.ts'
import { controllerDefinitions } from './controller-definitions.ts'
import { controllersOptions } from './controllers-options.ts'

// Caches outlive the roles of a process, which stop and start again with each lease.
for (const { name, start } of controllerDefinitions(defaultsOf(controllersOptions)))
  test(`${name} uses its indexes again when it starts again`, async (context) => {
    const { api, clock } = await openTestCore(context)
    const [log, random] = [createSilentLogger(), createSeededRandom(1)]
    const informers = createInformers({ api, clock, random, log })
    const made = new Set<string>()
    const functions = new Set<unknown>()
    const recorded: Informers = {
      ...informers,
      get: (type, scope) => {
        const informer = informers.get(type, scope)
        return {
          ...informer,
          addIndex: (index, values) => {
            made.add(`${type.plural} ${index}`)
            informer.addIndex(index, values)
          },
          indexBy: (values) => {
            functions.add(values)
            return informer.indexBy(values)
          },
        }
      },
    }
    const events = createEventRecorder({ api, clock, log, component: 'test' })
    const world = { api, informers: recorded, events, clock, random, log }
    const runOnce = async (): Promise<[number, number]> => {
      let role: RunningRole | undefined
      void start(world, new AbortController().signal).then((started) => (role = started))
      for (let turns = 0; !role && turns < 1000; turns++) await clock.advance(turns < 200 ? 0 : 100)
      await role?.stop()
      return [made.size, functions.size]
    }
    const first = await runOnce()
    deepEqual(await runOnce(), first)
    await informers.stop()
  })
