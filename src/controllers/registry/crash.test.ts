import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../../api/api.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import { ALPHA_CRDS } from '../../compat/alpha-crds.ts'
import { createEventRecorder } from '../../kube/controller/event-recorder.ts'
import { createInformers } from '../../kube/cache/informers.ts'
import { startSimulation } from '../../testing/index.ts'
import type { ProcessBody, ProcessWorld } from '../../testing/index.ts'
import type { RunningRole } from '../../kube/process/running-role.ts'
import { changeAlpha, CONFIG, createSeed, registerNode, alphaStatus } from './testing/describe-registry.ts'
import { startRegistry } from './start-registry.ts'

async function runRegistry({ clock, random, api: openApi }: ProcessWorld): Promise<ProcessBody> {
  const log = createSilentLogger()
  const api = openApi()
  const informers = createInformers({ api, clock, random, log })
  const events = createEventRecorder({ api, clock, log, component: 'registry' })
  let controller: RunningRole | undefined
  void startRegistry(CONFIG, { api, informers, events, clock, random, log }, new AbortController().signal).then(
    (started) => void (controller = started),
    () => {},
  )
  return { isIdle: () => controller?.isIdle() ?? false, stop: async () => await controller?.stop() }
}

type Story = { readonly name: string; act(api: Api): Promise<unknown>; readonly attachRequired: boolean | undefined }

const STORIES: readonly Story[] = [
  { name: 'an object is made', act: (api) => createSeed(api, { attachRequired: false }, 'new'), attachRequired: true },
  {
    name: 'a mirror has to be made anew',
    act: (api) => changeAlpha(api, { attachRequired: false }),
    attachRequired: false,
  },
  {
    name: 'an object is deleted',
    act: (api) => api.delete(ALPHA_CSI_DRIVERS, { name: 'd' }),
    attachRequired: undefined,
  },
  {
    name: 'the definition of nodes is deleted',
    act: (api) => api.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: 'csinodeinfos.csi.storage.k8s.io' }),
    attachRequired: true,
  },
]

/** False when it makes fewer calls than that. */
async function runCrash({ act, attachRequired }: Story, at: number, when: 'before' | 'after'): Promise<boolean> {
  const simulation = await startSimulation({ seed: 1 })
  const { api } = simulation
  try {
    await createSeed(api)
    await registerNode(api, 'node-1')
    const process = await simulation.startProcess('registry', runRegistry)
    await simulation.advance(10_000)
    process.killAtCall(at, when)
    await act(api)
    await simulation.advance(10_000)
    const killed = !process.isRunning()
    if (killed) await process.restart()
    await simulation.advance(60_000)
    const mirror = (await api.list(CSI_DRIVERS)).items.find(({ metadata }) => metadata.name === 'd')
    deepEqual(mirror?.spec.attachRequired, attachRequired, simulation.transcript.text())
    if (attachRequired !== undefined) deepEqual(await alphaStatus(api), { nodes: 1 })
    for (const { metadata } of ALPHA_CRDS) await api.get(CUSTOM_RESOURCE_DEFINITIONS, { name: metadata.name ?? '' })
    return killed
  } finally {
    await simulation.stop()
  }
}

for (const story of STORIES) {
  test(`killed at any call when ${story.name}, it ends as if nothing had happened`, async () => {
    let crashes = 0
    for (const when of ['before', 'after'] as const)
      for (let at = 1; at <= 10 && (await runCrash(story, at, when)); at++) crashes++
    ok(crashes >= 1, 'it was never killed')
  })
}
