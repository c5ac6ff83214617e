/// <reference lib="dom" />
import { deepEqual, ok } from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { comparePictures, toWebp } from './testing/compare-pictures.ts'
import { openBrowser, openPage, skipWithoutBrowser } from './testing/open-console.ts'
import { EXAMPLE_NOW_MS, openExample } from './testing/open-example.ts'

// Run with HOLDFAST_UPDATE_GOLDEN=1 to draw the references again, and look at them.
const isRecording = process.env['HOLDFAST_UPDATE_GOLDEN'] === '1'
const FOLDER = join(import.meta.dirname, 'testing/pictures')
// The references have this font. Debian installs it with its Chromium.
const FONT = '"Liberation Sans"'
const MOST_PER_MILLION = 300

const WINDOWS = [
  { name: 'light', width: 1200, height: 760, colorScheme: 'light' },
  { name: 'dark', width: 1200, height: 760, colorScheme: 'dark' },
  { name: 'phone', width: 380, height: 640, colorScheme: 'light' },
] as const

const PAGES: [hash: string, name: string, shown: string][] = [
  ['#/stuck', 'waiting', 'storageclass.storage.k8s.io "archive" not found'],
  ['#/claims', 'claims', '84 %'],
  ['#/pvc/default/data', 'claim', 'Slowest step'],
  ['#/pvc/default/backup', 'stuck-claim', 'Create it, or choose one of: fast, slow.'],
  ['#/driver/csi.example.com', 'driver', 'the pool has no space left'],
]

describe('pictures of the console', { skip: skipWithoutBrowser }, () => {
  let browser: Browser
  /** Where pictures are compared. */
  let desk: Page
  before(async () => {
    browser = await openBrowser()
    desk = await browser.newPage()
  })
  after(() => browser?.close())

  const pictureOf = async (page: Page): Promise<Buffer> =>
    toWebp(desk, await page.screenshot({ animations: 'disabled', caret: 'hide' }))

  const openExamplePage = async (
    context: TestContext,
    options: (typeof WINDOWS)[number],
  ): Promise<Page | undefined> => {
    const { address } = await openExample(context)
    const { page } = await openPage(context, browser, address, { ...options, nowMs: EXAMPLE_NOW_MS })
    if (await hasFont(page)) return page
    context.skip(`the references are drawn with ${FONT}, which is not installed`)
    return undefined
  }

  for (const options of WINDOWS)
    test(`resemble the references: ${options.name}`, async (context) => {
      const page = await openExamplePage(context, options)
      if (!page) return
      const differing: string[] = []
      for (const [hash, name, shown] of PAGES) {
        await page.evaluate((next) => (location.hash = next), hash)
        await page.getByText(shown).first().waitFor()
        const actual = await pictureOf(page)
        const path = join(FOLDER, `${name}-${options.name}.webp`)
        if (isRecording) writeFileSync(path, actual)
        ok(
          existsSync(path),
          `${path} does not exist: HOLDFAST_UPDATE_GOLDEN=1 npm test -- src/console/pictures.test.ts`,
        )
        const difference = await comparePictures(desk, readFileSync(path), actual)
        if (difference.kind === 'pixels' && difference.perMillion <= MOST_PER_MILLION) continue
        const seen = join(mkdtempSync(join(tmpdir(), 'hf-picture-')), `${name}.webp`)
        writeFileSync(seen, actual)
        differing.push(`${name}: ${JSON.stringify(difference)}; drawn now: ${seen}`)
      }
      deepEqual(differing, [])
    })

  test('differ if a column is missing, and not if nothing changed', async (context) => {
    const page = await openExamplePage(context, WINDOWS[0])
    if (!page) return
    await page.evaluate(() => (location.hash = '#/claims'))
    await page.getByText('84 %').waitFor()
    const first = await pictureOf(page)
    deepEqual(await comparePictures(desk, first, await pictureOf(page)), { kind: 'pixels', perMillion: 0 })
    await page.evaluate(() => {
      for (const cell of document.querySelectorAll('.share')) cell.textContent = ''
    })
    const changed = await comparePictures(desk, first, await pictureOf(page))
    ok(changed.kind === 'pixels' && changed.perMillion > MOST_PER_MILLION, JSON.stringify(changed))
  })
})

/** The width of a text shows whether the font is there: a browser may not be asked. */
const hasFont = (page: Page): Promise<boolean> =>
  page.evaluate((font) => {
    const drawing = new OffscreenCanvas(10, 10).getContext('2d')
    const widthWith = (families: string): number => {
      if (!drawing) return 0
      drawing.font = `40px ${families}`
      return drawing.measureText('mmmwwwiii1234').width
    }
    return ['monospace', 'serif'].every((other) => widthWith(`${font}, ${other}`) !== widthWith(other))
  }, FONT)
