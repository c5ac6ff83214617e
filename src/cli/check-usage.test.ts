import { deepEqual, match } from 'node:assert/strict'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openClusterDirectory } from '../cluster/testing/describe-up.ts'
import { startCommand } from './testing/cli-under-test.ts'

const SOCKET = 'unix:///tmp/holdfast-no-such-driver.sock'
const NO_SOCKET = (flag: string) =>
  new RegExp(`^holdfast: ${flag}: "tcp://x" is no socket; write unix:///path/to/csi.sock or /path/to/csi.sock\\n$`)

// FILE stands for a file with this text.
const wrong: [words: string, message: RegExp, text?: string][] = [
  ['check', /^holdfast: ENDPOINT is required: .*; write for example unix:\/\/\/tmp\/csi.sock\n$/],
  ['check tcp://x', NO_SOCKET('ENDPOINT')],
  [`check ${SOCKET} --node=tcp://x`, NO_SOCKET('--node')],
  [`check ${SOCKET} --params=/no/such`, /^holdfast: --params: \/no\/such does not exist; give a YAML file\n$/],
  [`check ${SOCKET} --params=/tmp`, /^holdfast: --params: \/tmp is a directory; give a YAML file\n$/],
  [
    `check ${SOCKET} --params=FILE`,
    /^holdfast: --params: .* is not valid YAML; write one line KEY: VALUE .*\n$/,
    'a: [',
  ],
  [
    `check ${SOCKET} --mutable-params=FILE`,
    /^holdfast: --mutable-params: .*: expected keys with one value each; .*\n$/,
    'a: [1]',
  ],
  [`check ${SOCKET} --snapshot-params=/no/such`, /^holdfast: --snapshot-params: \/no\/such does not exist; .*\n$/],
  [
    `check ${SOCKET} --secrets=FILE`,
    /^holdfast: --secrets: .*: unknown key CreateSecret; use CreateVolumeSecret, .*\n$/,
    'CreateSecret: {}',
  ],
  [`check ${SOCKET} --secrets=FILE`, /^holdfast: --secrets: .*: expected one entry for each call; .*\n$/, '- a'],
  [`check ${SOCKET} --topology=zone`, /^holdfast: --topology: .*; write for example --topology=.*\n$/],
  [`check ${SOCKET} --size=big`, /^holdfast: --size: "big" .*; write for example --size=.*\n$/],
  [
    `check ${SOCKET} --size=2Gi --expand-size=1Gi`,
    /^holdfast: --expand-size: volumes can only grow; give a size .*\n$/,
  ],
  [`check ${SOCKET} --restart=`, /^holdfast: --restart: the value is empty; .*\n$/],
  [
    `check ${SOCKET} --only=creat`,
    /^holdfast: --only, --skip: unknown case or topic creat; holdfast check --list prints all\n$/,
  ],
  [`check ${SOCKET} --skip=creat/x`, /^holdfast: --only, --skip: unknown case or topic creat\/x; .*\n$/],
  [
    `check ${SOCKET} --only=create --skip=create`,
    /^holdfast: --only, --skip: no case is left; leave out one of the two\n$/,
  ],
  [`check ${SOCKET} --only=cluster/fifti`, /^holdfast: --only, --skip: unknown case or topic cluster\/fifti; .*\n$/],
  [`check ${SOCKET} --size=0`, /^holdfast: --size: a volume needs a size; write for example --size=1Gi\n$/],
  [
    `check ${SOCKET} --driver-log=/no/such`,
    /^holdfast: --driver-log: \/no\/such does not exist; give the file to which the driver writes its log\n$/,
  ],
  [
    'check --clean=1f0c22ab --work=WORK',
    /^holdfast: --clean: there is no run "1f0c22ab" in .*; write one of 0a0b0c0d\n$/,
  ],
  ['check --clean=../x', /^holdfast: --clean: there is no run "..\/x" in .*; give the directory .*\n$/],
  [`check ${SOCKET} --load=-1`, /^holdfast: --load: "-1" is too small: the minimum is 0; .*\n$/],
  [`check ${SOCKET} --parallel=0`, /^holdfast: --parallel: "0" is too small: the minimum is 1; .*\n$/],
  [`check ${SOCKET} --load=many`, /^holdfast: --load: "many" is not a whole number; .*\n$/],
  [`check ${SOCKET} --load=1000000`, /^holdfast: --load: "1000000" is too large: the maximum is \d+; .*\n$/],
  [`check ${SOCKET} --timeout=soon`, /^holdfast: --timeout: "soon" .*; write for example --timeout=.*\n$/],
  [`check ${SOCKET} --case-timeout=0s`, /^holdfast: --case-timeout: "0s" is too (small|short).*\n$/],
  [
    `check ${SOCKET} --junit=/no/such/file.xml`,
    /^holdfast: --junit: directory \/no\/such does not exist; create it first\n$/,
  ],
  [
    `check ${SOCKET} --html=/no/such/file.html`,
    /^holdfast: --html: directory \/no\/such does not exist; create it first\n$/,
  ],
  [
    'check --clean=1f0c22ab',
    /^holdfast: --clean: there is no run "1f0c22ab" in .*; give the directory of the run with --work\n$/,
  ],
  [`check ${SOCKET} --watch=maybe`, /^holdfast: --watch: "maybe" .*\n$/],
  ['proxy', /^holdfast: --listen is required; write .*\n.*--to is required; write .*\n$/],
  ['proxy --listen=tcp://x --to=/tmp/a.sock', NO_SOCKET('--listen')],
  ['proxy --listen=/tmp/a.sock --to=tcp://x', NO_SOCKET('--to')],
  ['proxy --listen=/tmp/a.sock --to=/tmp/a.sock', /^holdfast: --listen and --to are the same socket; .*\n$/],
  [
    'proxy --listen=/tmp/a.sock --to=/tmp/b.sock --faults=/no/such',
    /^holdfast: --faults: \/no\/such does not exist; .*\n$/,
  ],
  [
    'proxy --listen=/tmp/a.sock --to=/tmp/b.sock --record=/no/such/f',
    /^holdfast: --record: directory \/no\/such does not exist; .*\n$/,
  ],
  [
    'proxy --listen=/tmp/a.sock --to=/tmp/b.sock --record-secrets',
    /^holdfast: --record-secrets needs --record; write .*\n$/,
  ],
  ['replay /no/such', /^holdfast: give either --to or --serve; write for example --to=.*\n$/],
  ['replay /no/such --to=/tmp/a.sock', /^holdfast: FILE: \/no\/such does not exist; give another file\n$/],
  ['replay /no/such --to=tcp://x', NO_SOCKET('--to')],
  ['replay /no/such --serve=tcp://x', NO_SOCKET('--serve')],
  ['up --faults=/no/such', /^holdfast: --faults: \/no\/such does not exist; give another file\n$/],
  ['up --record=/no/such/f', /^holdfast: --record: directory \/no\/such does not exist; create it first\n$/],
  ['up --record-secrets', /^holdfast: --record-secrets needs --record; write for example --record=calls.jsonl\n$/],
  ['up --driver-command=', /^holdfast: --driver-command: the value is empty; .*\n$/],
  ['up --driver-watch=/tmp', /^holdfast: --driver-watch needs --driver-command; write for example .*\n$/],
  ['up --driver-command=true --driver-watch=/no/such', /^holdfast: --driver-watch: \/no\/such does not exist; .*\n$/],
  [
    'up --nodes=2 --driver-command=true --driver=/tmp/a.sock --driver=node-2=/tmp/b.sock',
    /^holdfast: --driver-command: it listens on one socket; .*\n$/,
  ],
]

describe('a wrong flag is one message that says what to type, exit code 2, and nothing is made:', () => {
  for (const [words, message, text] of wrong)
    test(`holdfast ${words}${text === undefined ? '' : ` with ${text}`}`, { timeout: 60_000 }, async (context) => {
      const [home, other] = [await openClusterDirectory(context), await openClusterDirectory(context)]
      const file = join(other, 'file')
      if (text !== undefined) await writeFile(file, text)
      // WORK stands for a directory with one run, and with something else.
      for (const name of ['0a0b0c0d', 'notes']) await mkdir(join(other, 'work', name), { recursive: true })
      const typed = words.replace('FILE', file).replace('WORK', join(other, 'work')).split(' ')
      const command = startCommand(context, typed, { env: { XDG_DATA_HOME: home } })
      deepEqual([await command.ended, command.out()], [2, ''])
      match(command.err(), message)
      deepEqual(await readdir(home), [])
    })
})
