import { existsSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import type { Api } from '../../api/api.ts'
import { createSystemClock } from '../../base/clock.ts'
import { createSystemHost } from '../../base/host/index.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSystemRandom } from '../../base/random.ts'
import { startConsole } from '../start-console.ts'
import type { ConsoleOptions, RunningConsole } from '../start-console.ts'

/** A console on this machine; stopped with the test. */
export async function openConsole(
  context: TestContext,
  api: Api,
  more: Partial<ConsoleOptions> = {},
): Promise<RunningConsole> {
  const stopping = new AbortController()
  const parts = {
    host: createSystemHost(),
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: createSilentLogger(),
  }
  const options = { api, server: 'https://cluster', version: '0.0.0-test', signal: stopping.signal, ...more }
  const running = await startConsole(parts, options)
  context.after(async () => {
    stopping.abort(new Error('the test is over'))
    await running.stop()
  })
  return running
}

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)

/** Why tests in a browser have to be skipped, or false. */
export const skipWithoutBrowser: string | false = CHROMIUM === undefined ? 'no Chromium is installed' : false

// What a browser does by itself when it starts would leave this machine.
const QUIET = [
  '--no-sandbox',
  // Text is drawn alike on every machine.
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--force-color-profile=srgb',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath: CHROMIUM ?? '', args: QUIET })

export type OpenPage = {
  readonly page: Page
  /** Requests to any other origin, and errors of the page. */
  readonly problems: string[]
}

/** Opens the printed address in a window of its own. */
export async function openPage(
  context: TestContext,
  browser: Browser,
  address: string,
  options: { width?: number; height?: number; colorScheme?: 'light' | 'dark'; nowMs?: number } = {},
): Promise<OpenPage> {
  const { width = 1200, height = 800, colorScheme = 'light' } = options
  const window = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' })
  context.after(() => window.close())
  const page = await window.newPage()
  // The page takes this time for the current one.
  if (options.nowMs !== undefined) await page.clock.setFixedTime(options.nowMs)
  const problems: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(address).origin) problems.push(`request to ${request.url()}`)
  })
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`)
  })
  await page.goto(address)
  return { page, problems }
}
