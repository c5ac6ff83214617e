import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { parseArguments, defineCommand } from '../base/options/index.ts'
import { createSystemClock } from '../base/clock.ts'
import { createSilentLogger } from '../base/logger.ts'
import { createSystemRandom } from '../base/random.ts'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import { ControllerCapability } from '../csi/index.ts'
import { openTestDirectory } from '../csi/testing/open-test-directory.ts'
import { defineTestDriver, serveTest } from '../csi/testing/start-test-driver.ts'
import type { DriverFacts } from './discover-driver.ts'
import { runSidecar } from './run-sidecar.ts'
import type { RoleDefinition } from './run-sidecar.ts'
import { standardOptions } from './standard-options.ts'
import type { StandardConfig } from './standard-options.ts'

const publishing = { controllerPublishVolume: async () => ({}), controllerUnpublishVolume: async () => ({}) }

function configOf(...words: string[]): StandardConfig {
  const parsed = parseArguments(defineCommand({ name: 'x', summary: 'X.', options: standardOptions }), words)
  if (parsed.kind !== 'run') throw new Error('expected a run')
  return parsed.config
}

/** A role that only tells what becomes of it; each line can be waited for. */
function recordedRole() {
  const lines: string[] = []
  const waiters = new Set<() => void>()
  const add = (line: string): void => {
    lines.push(line)
    for (const waiter of [...waiters]) waiter()
  }
  const role: RoleDefinition = {
    name: 'recorded',
    component: (driver) => `recorder ${driver}`,
    leaseName: (driver) => `recorder-${driver}`,
    notNeeded: ({ controller }) => (controller.has(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME) ? undefined : 'the driver does not publish'),
    start: async ({ facts }: { facts: DriverFacts }) => {
      add(`started for ${facts.name}`)
      return { isIdle: () => true, stop: async () => add('stopped') }
    },
  }
  const until = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (lines.length < count) return
        waiters.delete(check)
        resolve()
      }
      waiters.add(check)
      check()
    })
  return { role, lines, until }
}

describe('a sidecar', () => {
  const open = async (context: TestContext, path: string, ...words: string[]) => {
    const { api } = await openTestCore(context)
    const parts = { clock: createSystemClock(), random: createSystemRandom(), log: createSilentLogger() }
    return { config: configOf(`--csi-address=${path}`, ...words), callTimeoutMs: 5000, api, electionApi: api, identity: 'me', namespace: 'default', ...parts }
  }

  test('runs its roles while the driver is connected, and anew when the driver was restarted', async (context) => {
    const path = join(await openTestDirectory(context), 'csi.sock')
    const first = await serveTest(context, path, defineTestDriver(publishing))
    const { role, lines, until } = recordedRole()
    const sidecar = await runSidecar([role], await open(context, path))
    await until(1)
    await first.stop({ graceMs: 0 })
    await until(2)
    await serveTest(context, path, defineTestDriver(publishing))
    await until(3)
    await sidecar.stop()
    deepEqual(lines, ['started for test.holdfast.dev', 'stopped', 'started for test.holdfast.dev', 'stopped'])
  })

  test('leaves out a role that the driver does not need', async (context) => {
    const path = join(await openTestDirectory(context), 'csi.sock')
    await serveTest(context, path, defineTestDriver({}))
    const { role, lines } = recordedRole()
    const sidecar = await runSidecar([role], await open(context, path))
    equal(sidecar.roles().length, 0)
    await sidecar.stop()
    deepEqual(lines, [])
  })

  test('serves metrics of its calls and its health', async (context) => {
    const path = join(await openTestDirectory(context), 'csi.sock')
    await serveTest(context, path, defineTestDriver(publishing))
    const { role, until } = recordedRole()
    const parts = await open(context, path, '--http-endpoint=127.0.0.1:0')
    const sidecar = await runSidecar([role], parts)
    try {
      await until(1)
      const get = async (where: string): Promise<string> => (await fetch(`http://127.0.0.1:${sidecar.httpPort}${where}`)).text()
      match(await get('/metrics'), /csi_sidecar_operations_seconds_count\{driver_name="[^"]+",method_name="\/csi.v1.Identity\/GetPluginInfo",grpc_status_code="OK"\} 1/)
      equal(await get('/healthz/leader-election'), 'ok')
    } finally {
      await sidecar.stop()
    }
  })

  test('fails clearly when the driver answers with an error', async (context) => {
    const path = join(await openTestDirectory(context), 'csi.sock')
    await serveTest(context, path, defineTestDriver({ probe: () => Promise.reject(new Error('the disk is gone')) }))
    await rejects(runSidecar([recordedRole().role], await open(context, path)), /Probe: Internal: the disk is gone/)
  })
})
