import { equal, match } from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sleep } from '../base/clock.ts'
import { createSystemClock } from '../base/clock.ts'
import { createClaim, createPod } from '../cluster/testing/describe-cluster.ts'
import { MAIN, openClusterDirectory, startUp } from '../cluster/testing/describe-up.ts'

const clock = createSystemClock()

/** Resolves when the log has a line that matches, after `from`; the test's own limit ends a wait that never does. */
async function untilLogged(errors: () => string, pattern: RegExp, from = 0): Promise<number> {
  for (;;) {
    const found = pattern.exec(errors().slice(from))
    if (found) return from + found.index + found[0].length
    await sleep(clock, 50)
  }
}

test(
  'up runs the driver of a command, restarts it when it dies or its files change, and says what is wrong with it',
  { timeout: 120_000 },
  async (t) => {
    const directory = await openClusterDirectory(t)
    const script = join(directory, 'driver.sh')
    const options = (name: string): string =>
      `--endpoint=$CSI_ENDPOINT --node-id=$NODE_ID --driver-name=${name} --attach --publish=link --data=${directory}/volumes`
    const run = (name: string): string => `exec ${process.execPath} ${MAIN} driver ${options(name)}\n`
    await writeFile(script, 'echo not yet; exit 3\n')
    const starting = startUp(
      join(directory, 'cluster'),
      '--no-bundled-driver',
      '--log-format=text',
      `--driver-command=sh ${script}`,
    )
    // Not listening is no reason to end: the author is going to mend it.
    await writeFile(script, run('mine.example.com'))
    const up = await starting
    match(up.output, /driver mine\.example\.com on node-1/)
    let at = await untilLogged(up.errors, /driver \| ready unix:/)
    await createClaim(up.api, 'data')
    await createPod(up.api, 'web', 'data')
    await up.until(({ pods }) => pods[0]?.status?.phase === 'Running')
    at = await untilLogged(up.errors, /call \| CreateVolume {2}for="?claim default\/data/, 0)
    await untilLogged(up.errors, /call \| NodePublishVolume {2}for="?pod default\/web/, 0)

    await writeFile(script, run('other.example.com'))
    at = await untilLogged(up.errors, /driver restarted: its files have changed/, at)
    at = await untilLogged(up.errors, /now has the name other\.example\.com, but this cluster knows it as mine/, at)
    await writeFile(script, 'echo broken; exit 4\n')
    at = await untilLogged(up.errors, /The driver has ended \(exit code 4\)/, at)
    await writeFile(script, run('mine.example.com'))
    await untilLogged(up.errors, /nothing is wrong with the driver/, at)
    equal(await up.stop(), 0)
  },
)
