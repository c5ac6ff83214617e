/// <reference lib="dom" />
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Api } from '../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import { loadCase, readCorpus } from '../explain/testing/describe-corpus.ts'
import { claimOf, createOn } from '../testing/objects.ts'
import { openBrowser, openConsole, openPage, skipWithoutBrowser } from './testing/open-console.ts'

const createClaim = (api: Api, name: string): Promise<unknown> =>
  createOn(api, PERSISTENT_VOLUME_CLAIMS, claimOf({ namespace: 'default', name, className: 'fast' }))

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
    await page.getByText('There are none.').waitFor()
    await createClaim(api, 'fresh')
    await page.getByRole('link', { name: 'fresh' }).waitFor({ timeout: 1000 })
  })

  test('scrolls and filters ten thousand claims, drawing only those in sight', async (context) => {
    const { api } = await openTestCore(context)
    for (let at = 0; at < 10_000; at += 500)
      await Promise.all(Array.from({ length: 500 }, (_, index) => createClaim(api, `claim-${at + index}`)))
    const { page, problems } = await openPage(context, browser, (await openConsole(context, api)).address)
    await page.getByRole('link', { name: /^Claims 10000/ }).click()
    await page.getByRole('status').getByText('10000').waitFor()
    ok((await rowCount(page)) < 100)
    await page.locator('.scroller').evaluate((area) => area.scrollTo(0, area.scrollHeight))
    await page.getByRole('link', { name: 'claim-9999' }).waitFor()
    // From the key to the drawn result, measured in the page: less than a person notices.
    const tookMs = await page.evaluate(async () => {
      const input = document.querySelector<HTMLInputElement>('#filter')
      if (!input) throw new Error('no filter')
      const startMs = performance.now()
      input.value = 'claim-7777'
      input.dispatchEvent(new InputEvent('input', { bubbles: true }))
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      return performance.now() - startMs
    })
    await page.getByRole('link', { name: 'claim-7777' }).waitFor()
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
      for (const hash of ['#/stuck', '#/claims', '#/volumes', '#/nodes', '#/pvc/default/data']) {
        await page.evaluate((next) => (location.hash = next), hash)
        await page.locator('table.rows, .object h1').first().waitFor()
        deepEqual(await violationsOf(page), [], hash)
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        ok(overflow <= 0, `${hash} is ${overflow} pixels wider than the window`)
      }
    })
  }
})

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
