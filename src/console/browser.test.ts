/// <reference lib="dom" />
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Api } from '../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import { loadCase, readCorpus } from '../explain/testing/describe-corpus.ts'
import { claimOf, createOn, volumeOf } from '../testing/objects.ts'
import { openBrowser, openConsole, openPage, skipWithoutBrowser } from './testing/open-console.ts'
import type { OpenPage } from './testing/open-console.ts'
import { EXAMPLE_NOW_MS, openExample } from './testing/open-example.ts'

const createClaim = (api: Api, name: string): Promise<unknown> =>
  createOn(api, PERSISTENT_VOLUME_CLAIMS, claimOf({ namespace: 'default', name, className: 'fast' }))
const createVolume = (api: Api, name: string): Promise<unknown> =>
  createOn(api, PERSISTENT_VOLUMES, volumeOf({ name, spec: { storageClassName: 'fast' } }))

// In each, the object that is asked about is stuck, and the last link of its chain has the cause.
const TEN = [
  'missing class',
  'no default class',
  'provisioner silent',
  'provisioning fails',
  'attacher silent',
  'attach error',
  'multi attach',
  'driver not registered',
  'node gone',
  'snapshot class missing',
]

const rowCount = (page: Page): Promise<number> => page.locator('table.rows tbody tr:not(.spacer)').count()

describe('the console in Chromium', { skip: skipWithoutBrowser }, () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser?.close())

  for (const name of TEN) {
    test(`leads from the first page to the cause of "${name}" with one click`, async (context) => {
      const found = readCorpus().find((each) => each.name === name)
      ok(found, name)
      const { api, fill } = await loadCase(context, found.objects)
      const { page, problems } = await openPage(context, browser, (await openConsole(context, api)).address)
      await page.locator('table.stuck a').first().waitFor()
      const sentences = await page.locator('table.stuck a').allInnerTexts()
      const sentence = fill(found.answer)
      const cause = sentence.slice(sentence.indexOf(': ') + 2)
      const at = sentences.findIndex((each) => each.includes(cause))
      ok(at >= 0, `${cause}\nis in none of\n${sentences.join('\n')}`)
      await page.locator('table.stuck a').nth(at).click()
      await page.locator('.object .chain').first().waitFor()
      match(await page.locator('.object .sentence').innerText(), new RegExp(RegExp.escape(cause)))
      ok((await page.locator('.link.waits').count()) > 0)
      deepEqual(problems, [])
    })
  }

  test('shows a change within a second, without a reload', async (context) => {
    const { api } = await openTestCore(context)
    const { page } = await openPage(context, browser, (await openConsole(context, api)).address)
    await page.getByRole('link', { name: /^Claims/ }).click()
    await page.getByText('No claims').waitFor()
    await createClaim(api, 'fresh')
    await page.getByRole('link', { name: 'fresh' }).waitFor({ timeout: 1000 })
  })

  for (const [title, one, create] of [
    ['Claims', 'claim', createClaim],
    ['Volumes', 'volume', createVolume],
  ] as const)
    test(`scrolls and filters ten thousand ${one}s, drawing only those in sight`, async (context) => {
      const { api } = await openTestCore(context)
      for (let at = 0; at < 10_000; at += 500)
        await Promise.all(Array.from({ length: 500 }, (_, index) => create(api, `${one}-${at + index}`)))
      const { page, problems } = await openPage(context, browser, (await openConsole(context, api)).address)
      await page.getByRole('link', { name: new RegExp(`^${title} 10,000`) }).click()
      await page.getByRole('status').getByText('10,000').waitFor()
      ok((await rowCount(page)) < 100)
      await page.locator('.scroller').evaluate((area) => area.scrollTo(0, area.scrollHeight))
      await page.getByRole('link', { name: `${one}-9999` }).waitFor()
      // From the key to the drawn result, measured in the page: less than a person notices.
      const tookMs = await page.evaluate(async (text) => {
        const input = document.querySelector<HTMLInputElement>('#filter')
        if (!input) throw new Error('no filter')
        const startMs = performance.now()
        input.value = text
        input.dispatchEvent(new InputEvent('input', { bubbles: true }))
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        return performance.now() - startMs
      }, `${one}-7777`)
      await page.getByRole('link', { name: `${one}-7777` }).waitFor()
      equal(await rowCount(page), 1)
      ok(tookMs < 500, `filtering took ${tookMs} ms`)
      deepEqual(problems, [])
    })

  test('can be used with the keyboard alone', async (context) => {
    const { api } = await openTestCore(context)
    for (const name of ['one', 'three', 'two']) await createClaim(api, name)
    const { page } = await openPage(context, browser, (await openConsole(context, api)).address)
    await page.getByRole('link', { name: /^Claims/ }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'three' }).waitFor()
    await page.keyboard.press('/')
    for (let count = 0; count < 3; count++) await page.keyboard.press('ArrowDown')
    equal(await page.evaluate(() => document.activeElement?.textContent?.trim()), 'two')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'PersistentVolumeClaim default/two' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'three' }).waitFor()
  })

  describe('of a cluster with something of everything', () => {
    const openAt = async (context: TestContext, hash: string): Promise<OpenPage> => {
      const { address } = await openExample(context)
      const opened = await openPage(context, browser, address, { nowMs: EXAMPLE_NOW_MS })
      await opened.page.getByRole('link', { name: /^Claims 3/ }).waitFor()
      await opened.page.evaluate((next) => (location.hash = next), hash)
      return opened
    }
    const cellsOf = (page: Page, row: string): Promise<string[]> =>
      page
        .getByRole('row')
        .filter({ hasText: row })
        .first()
        .getByRole('cell')
        .allInnerTexts()
        .then((texts) => texts.map((text) => text.trim()))

    test('lists how full claims are, in bytes and inodes', async (context) => {
      const { page, problems } = await openAt(context, '#/claims')
      await page.getByText('84 %').waitFor()
      deepEqual((await cellsOf(page, 'pvc-data')).slice(3, 7), ['10 GiB', '8.4 GiB', '84 %', '13 %'])
      deepEqual((await cellsOf(page, 'pvc-logs')).slice(3, 7), ['512 MiB', '', '', ''])
      deepEqual(problems, [])
    })

    test('shows of a claim who uses it, its space, its slowest step and who spent the time', async (context) => {
      const { page, problems } = await openAt(context, '#/pvc/default/data')
      await page.getByText('8.4 GiB of 10 GiB used, 1.6 GiB free').waitFor()
      await page.getByText('81,920 of 655,360 used').waitFor()
      match(await page.locator('.summary').innerText(), /^2\.5 s in total\. Slowest step: Attached, .* by attacher\.$/)
      await page.locator('aside').getByRole('link', { name: 'default/db' }).click()
      await page.getByRole('heading', { name: 'Pod default/db' }).waitFor()
      deepEqual(problems, [])
    })

    test('shows attaching, staging and publishing as steps of their own', async (context) => {
      const { page } = await openAt(context, '#/pvc/default/data')
      await page.locator('table.life').getByText('NodeStageVolume').waitFor()
      const stepsBy = (who: string): Promise<string[]> =>
        page.locator('table.life tr.step').filter({ hasText: who }).locator('th').allInnerTexts()
      deepEqual(
        (await stepsBy('node node-1')).map((text) => text.split('\n')[0]),
        ['Staged', 'Published'],
      )
      match((await stepsBy('attacher'))[0] ?? '', /^Attached/)
    })

    test('leads from a claim and from its volume to the node', async (context) => {
      const { page } = await openAt(context, '#/pvc/default/data')
      const nodeLink = page
        .locator('section', { has: page.getByRole('heading', { name: 'Objects' }) })
        .getByRole('link', {
          name: 'node-1',
          exact: true,
        })
      await nodeLink.waitFor()
      await page.evaluate(() => (location.hash = '#/pv/pvc-data'))
      await page.getByRole('heading', { name: 'PersistentVolume pvc-data' }).waitFor()
      await nodeLink.click()
      await page.getByRole('heading', { name: 'Node node-1' }).waitFor()
    })

    test('shows requests to the API server in the life of a volume on demand', async (context) => {
      const { page } = await openAt(context, '#/pvc/default/data')
      await page.getByText('CreateVolume', { exact: true }).first().waitFor()
      equal(await page.getByText('patch PersistentVolumeClaim').count(), 0)
      await page.getByRole('button', { name: /^Show 1 request/ }).click()
      await page.getByText('patch PersistentVolumeClaim').waitFor()
    })

    test('says since when a volume is unused', async (context) => {
      const { page } = await openAt(context, '#/volumes')
      await page.getByRole('link', { name: 'pvc-logs' }).waitFor()
      ok((await cellsOf(page, 'pvc-logs')).includes('3d'))
      ok((await cellsOf(page, 'pvc-data')).includes('db'))
      await page.getByRole('link', { name: 'pvc-logs' }).click()
      await page.getByText('2029-12-29T00:05:00Z').waitFor()
    })

    test('shows of a node what is attached against the limit, and mounts with their owners', async (context) => {
      const { page, problems } = await openAt(context, '#/nodes')
      await page.getByRole('link', { name: 'node-1' }).click()
      await page.getByRole('heading', { name: 'Node node-1' }).waitFor()
      deepEqual((await cellsOf(page, 'i-0a1b')).slice(1, 4), ['i-0a1b', '1', '25'])
      deepEqual(await cellsOf(page, 'default/data'), ['default/data', 'default/db', 'mounted', 'pvc-data'])
      deepEqual((await cellsOf(page, 'vol-old')).slice(1, 3), ['no pod', 'still in use'])
      deepEqual(problems, [])
    })

    test('shows of a driver its capabilities, and error rate, p50 and p99 of each call', async (context) => {
      const { page, problems } = await openAt(context, '#/drivers')
      await page.getByRole('link', { name: 'csi.example.com' }).click()
      await page.getByText('CREATE_DELETE_VOLUME').waitFor()
      deepEqual(await cellsOf(page, 'CreateVolume'), ['CreateVolume', '2', '1', '50.0 %', '412.0 ms', '412.0 ms'])
      await page.getByText('the pool has no space left').waitFor()
      deepEqual(problems, [])
    })

    test('lists capacity by class and topology', async (context) => {
      const { page } = await openAt(context, '#/capacity')
      await page.getByText('topology.example.com/zone=b').waitFor()
      const rowOf = (place: string): Promise<string[]> => cellsOf(page, place)
      deepEqual(await rowOf('zone=a'), ['fast', 'topology.example.com/zone=a', '1', '10 GiB', '812 GiB', '500 GiB'])
      deepEqual(await rowOf('zone=b'), ['fast', 'topology.example.com/zone=b', '0', '0 B', '64 GiB', '64 GiB'])
      deepEqual(await rowOf('slow'), ['slow', 'everywhere', '1', '512 MiB', '', ''])
    })

    test('lists leaks in words', async (context) => {
      const { page } = await openAt(context, '#/leaks')
      await page.getByText('volume without object').waitFor()
      deepEqual((await cellsOf(page, 'vol-7f3a')).slice(1, 4), ['csi.example.com', 'vol-7f3a', '20 GiB'])
    })

    test('has no accessibility problem that axe finds on any of these pages', async (context) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { address } = await openExample(context)
        const { page } = await openPage(context, browser, address, { colorScheme, nowMs: EXAMPLE_NOW_MS })
        await page.getByRole('link', { name: /^Claims 3/ }).waitFor()
        for (const path of [
          'claims',
          'leaks',
          'capacity',
          'pvc/default/data',
          'node/node-1',
          'driver/csi.example.com',
        ]) {
          await showPage(page, path)
          deepEqual(await violationsOf(page), [], `${path} ${colorScheme}`)
        }
      }
    })

    test('has no accessibility problem while the page of an object is loading, nor when it cannot be read', async (context) => {
      const { address } = await openExample(context)
      const { page } = await openPage(context, browser, address, { nowMs: EXAMPLE_NOW_MS })
      await page.getByRole('link', { name: /^Claims 3/ }).waitFor()
      const held = Promise.withResolvers<void>()
      await page.route('**/object?*', async (route) => {
        await held.promise
        await route.fulfill({ json: { problem: 'persistentvolumeclaims "data" is forbidden' } })
      })
      await page.evaluate(() => (location.hash = '#/pvc/default/data'))
      await page.getByText('Loading…').waitFor()
      deepEqual(await violationsOf(page), [])
      held.resolve()
      await page.getByText('is forbidden').waitFor()
      deepEqual(await violationsOf(page), [])
    })
  })

  for (const [width, colorScheme] of [
    [1200, 'light'],
    [1200, 'dark'],
    [380, 'light'],
  ] as const) {
    test(`has no accessibility problem that axe finds, ${width} pixels wide and ${colorScheme}`, async (context) => {
      const found = readCorpus().find(({ name }) => name === 'multi attach')
      ok(found)
      const { api } = await loadCase(context, found.objects)
      const { address } = await openConsole(context, api)
      const { page } = await openPage(context, browser, address, { width, colorScheme })
      for (const path of ['stuck', 'claims', 'volumes', 'nodes', 'pvc/default/data']) {
        await showPage(page, path)
        deepEqual(await violationsOf(page), [], path)
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        ok(overflow <= 0, `${path} is ${overflow} pixels wider than the window`)
      }
    })
  }
})

/** Opens the page of a list (claims) or of an object (pvc/default/data), and waits until it is drawn. */
async function showPage(page: Page, path: string): Promise<void> {
  await page.evaluate((next) => (location.hash = next), `#/${path}`)
  const name = path.slice(path.lastIndexOf('/') + 1)
  await (path.includes('/')
    ? page.locator('article.object:not([aria-busy])').getByRole('heading', { level: 1, name }).waitFor()
    : page.locator(`nav a[aria-current="page"][href="#/${path}"]`).waitFor())
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

async function violationsOf(page: Page): Promise<string[]> {
  // Through the debugger: the policy of the page lets nothing else run in it.
  await page.evaluate(AXE)
  return page.evaluate(async () => {
    const axe = (
      globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }
    ).axe
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  })
}
