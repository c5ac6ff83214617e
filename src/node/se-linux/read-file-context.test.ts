import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createSimulatedHost, createSystemHost, makeDirectories } from '../../base/host/index.ts'
import type { MountEntry } from '../../base/host/index.ts'
import { createSeededRandom } from '../../base/random.ts'
import { readFileContext } from './read-file-context.ts'

const SELINUX: MountEntry = {
  target: '/sys/fs/selinux',
  root: '/',
  fsType: 'selinuxfs',
  source: 'selinuxfs',
  readOnly: false,
}

async function readWith(given: Record<string, string>, mounted: readonly MountEntry[] = [SELINUX]) {
  const { files, mounts } = createSimulatedHost({ random: createSeededRandom(1) })
  for (const [path, text] of Object.entries(given)) {
    await makeDirectories(files, path.slice(0, path.lastIndexOf('/')))
    await files.writeFile(path, new TextEncoder().encode(text))
  }
  return readFileContext({ files, mounts: { ...mounts, list: () => Promise.resolve([...mounted]) } })
}

const CONTEXTS =
  '# comment\nprocess = "system_u:system_r:container_t:s0"\nfile = "system_u:object_r:container_file_t:s0"\n'

test('SELinux: the context of files is read where container runtimes read it', async () => {
  const shared = '/usr/share/containers/selinux/contexts'
  equal(await readWith({ [shared]: CONTEXTS }), 'system_u:object_r:container_file_t:s0')
  equal(
    await readWith({ '/etc/selinux/targeted/contexts/lxc_contexts': CONTEXTS.replace('container_file_t', 'svirt') }),
    'system_u:object_r:svirt:s0',
  )
  const policy = { '/etc/selinux/config': '#SELINUXTYPE=no\nSELINUX=enforcing\nSELINUXTYPE=mls\n' }
  equal(
    await readWith({ ...policy, '/etc/selinux/mls/contexts/lxc_contexts': CONTEXTS }),
    'system_u:object_r:container_file_t:s0',
  )
})

test('SELinux: nothing on a machine without SELinux, or without rules for containers', async () => {
  equal(await readWith({ '/usr/share/containers/selinux/contexts': CONTEXTS }, []), undefined)
  equal(await readWith({}), undefined)
  equal(await readWith({ '/usr/share/containers/selinux/contexts': 'nothing' }), undefined)
})

test('SELinux: this machine can be asked', async (context) => {
  const host = createSystemHost()
  const [mount] = await host.mounts.list({ target: '/sys/fs/selinux' })
  const found = await readFileContext(host)
  if (mount) context.diagnostic(`SELinux is enabled here: ${found}`)
  else equal(found, undefined)
})
