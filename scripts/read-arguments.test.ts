import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { run } from './run.ts'

for (const [script, args, message] of [
  ['test-e2e', ['--drivers=foo'], '--drivers: "foo" is none of shared, bundled'],
  ['test-e2e', ['--nodes=3'], '--nodes is 1 or 2'],
  ['test-e2e', ['--nodes=2'], '--nodes=2 needs --drivers=shared'],
  ['test-e2e', ['--procs=many'], '--procs: "many" is no number of processes'],
  ['test-e2e', ['--al'], "Unknown option '--al'"],
  ['test-kubernetes', ['--kubernetes', '1.2'], 'Kubernetes "1.2" is none of 1.33, 1.34, 1.35, 1.36'],
  ['test-control-plane', ['--minutes=ten'], '--minutes: "ten" is no number of minutes'],
] as const) {
  test(`${script} ${args.join(' ')} is refused in one line, before anything starts`, async () => {
    deepEqual(await run(process.execPath, [`scripts/${script}.ts`, ...args]), {
      code: 2,
      stdout: '',
      stderr: `${message}\n`,
    })
  })
}
