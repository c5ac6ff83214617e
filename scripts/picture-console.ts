import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { ROOT, run } from './run.ts'
import { spawn } from 'node:child_process'

// npm run picture:console: draws docs/console.png from a real cluster: `holdfast up`, a claim with a pod, and the page of the claim in Chromium.
const data = mkdtempSync(join(tmpdir(), 'hf-'))
const up = spawn(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', join(ROOT, 'src/cli/main.ts'), 'up', `--data=${data}`],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
try {
  const address = await untilConsole()
  const env = { KUBECONFIG: join(data, 'kubeconfig') }
  const applied = await run('kubectl', ['apply', '-f', join(ROOT, 'examples/claim.yaml')], { env })
  if (applied.code !== 0) throw new Error(applied.stderr)
  await run('kubectl', ['wait', '--for=condition=Ready', 'pod/web', '--timeout=60s'], { env })
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } })
  await page.goto(address)
  await page.getByRole('link', { name: /^Claims/ }).click()
  await page.getByRole('link', { name: 'data', exact: true }).click()
  await page.getByText('Mounted').first().waitFor()
  await page.screenshot({ path: join(ROOT, 'docs/console.png') })
  await browser.close()
} finally {
  up.kill('SIGTERM')
  await new Promise((resolve) => up.once('exit', resolve))
  await run(process.execPath, [join(ROOT, 'src/cli/main.ts'), 'down', `--data=${data}`, '--yes'])
  rmSync(data, { recursive: true, force: true })
}

async function untilConsole(): Promise<string> {
  let output = ''
  for await (const chunk of up.stdout) {
    output += String(chunk)
    const address = /console +(http\S+)/.exec(output)?.[1]
    if (address !== undefined && /^ready/m.test(output)) return address
  }
  throw new Error(`holdfast up ended: ${output}`)
}
