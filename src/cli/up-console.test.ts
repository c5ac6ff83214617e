import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { openClusterDirectory, startUp } from '../cluster/testing/describe-up.ts'
import type { LifeStep, ObjectAnswer } from '../console/protocol.ts'
import { openBrowser, openPage, skipWithoutBrowser } from '../console/testing/open-console.ts'
import { applyYaml } from '../kube/client/apply-yaml.ts'

const LIMIT = { timeout: 120_000 }
const ROOT = join(import.meta.dirname, '../..')
const EXAMPLE = join(ROOT, 'examples/claim.yaml')

// npm run picture:console sets this, so that the README gets the picture that this test takes.
const isRecording = process.env['HOLDFAST_UPDATE_PICTURE'] === '1'
const PICTURE = join(ROOT, 'docs/console.png')

/** `holdfast up` with a claim that a running pod uses, and the address that it printed for its console. */
async function startWithClaim(context: TestContext): Promise<URL> {
  const up = await startUp(await openClusterDirectory(context))
  const [, address = ''] = /^ +console +(http\S+)$/m.exec(up.output) ?? []
  ok(address !== '', up.output)
  await applyYaml(up.api, await readFile(EXAMPLE, 'utf8'))
  await up.until(({ pods }) => pods.some(({ status }) => status?.phase === 'Running'))
  return new URL(address)
}

describe('the console of holdfast up', () => {
  test(
    'is served at the printed address, with each step of a volume as the parts measured it',
    LIMIT,
    async (context) => {
      const address = await startWithClaim(context)
      equal(address.hostname, '127.0.0.1')
      const admitted = await fetch(address, { redirect: 'manual' })
      equal(admitted.status, 303)
      const [cookie = ''] = (admitted.headers.get('set-cookie') ?? '').split(';')
      const read = (path: string): Promise<Response> => fetch(new URL(path, address), { headers: { cookie } })
      const page = await read('/')
      equal(page.status, 200)
      match(await page.text(), /<title>.*Holdfast.*<\/title>/)

      const readSteps = async (): Promise<readonly LifeStep[]> => {
        const answer = (await (await read('/object?target=pvc/default/data')).json()) as ObjectAnswer
        ok('page' in answer, JSON.stringify(answer))
        return answer.page.life?.steps ?? []
      }
      // The console follows the API by itself, so that it may be a moment behind.
      let steps = await readSteps()
      while (!steps.some(({ title }) => title === 'Published')) steps = await readSteps()
      const measured = [
        ...['CreateVolume', 'ControllerPublishVolume'],
        ...['Staged', 'NodeStageVolume', 'Published', 'NodePublishVolume'],
      ]
      const isOfDriverOrNode = ({ who, title }: LifeStep): boolean =>
        (who === 'driver' || who === 'node node-1') && title !== 'NodeGetCapabilities'
      deepEqual(
        steps.filter(isOfDriverOrNode).map(({ title, source }) => [title, source]),
        measured.map((title) => [title, 'span']),
      )
    },
  )

  test('is what the README shows', { ...LIMIT, skip: skipWithoutBrowser }, async (context) => {
    const address = await startWithClaim(context)
    const browser = await openBrowser()
    context.after(() => browser.close())
    const { page, problems } = await openPage(context, browser, address.href)
    await page.getByRole('link', { name: /^Claims/ }).click()
    await page.getByRole('link', { name: 'data', exact: true }).click()
    await page.getByText('Claim data is bound to volume').waitFor()
    for (const title of ['Attached', 'Staged', 'Published'])
      await page.locator('table.life tr.step th').filter({ hasText: title }).waitFor()
    const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' })
    if (isRecording) await writeFile(PICTURE, picture)
    deepEqual(sizeOf(await readFile(PICTURE)), sizeOf(picture))
    deepEqual(problems, [])
  })
})

/** Width and height of a PNG. */
const sizeOf = (png: Buffer): [number, number] => [png.readUInt32BE(16), png.readUInt32BE(20)]
