import type { Api } from '../../api/api.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { VOLUME_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-snapshot.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'

const TYPES: Readonly<Record<string, ResourceType<KubeObject>>> = {
  pod: PODS,
  pv: PERSISTENT_VOLUMES,
  volumeattachment: VOLUME_ATTACHMENTS,
  volumesnapshotcontent: VOLUME_SNAPSHOT_CONTENTS,
}

/** Runs the one `kubectl` command that the sentence gives, as kubectl would. Returns it. */
export async function carryOut(api: Api, sentence: string): Promise<string> {
  const [, command = ''] = /(kubectl .+?)\.?$/.exec(sentence) ?? []
  const [words, json] = [command.replace(/'.*'/, '').split(/\s+/), /'(.*)'/.exec(command)?.[1]]
  const [, verb, kind = '', name = '', argument = ''] = words
  const namespace = words[words.indexOf('-n') + 1] ?? ''
  const type = TYPES[kind]
  const ref = { name, ...(words.includes('-n') ? { namespace } : {}) }
  if (verb === 'patch' && type && json) {
    await api.patch(type, ref, { type: 'strategic', value: JSON.parse(json) as object })
  } else if (verb === 'annotate' && type) {
    const [key = '', value = ''] = argument.split('=')
    await api.patch(type, ref, { type: 'merge', value: { metadata: { annotations: { [key]: value } } } })
  } else if (verb === 'delete' && type) {
    await api.delete(type, ref, words.includes('--force') ? { gracePeriodSeconds: 0 } : {})
  } else if (verb === 'uncordon') {
    await api.patch(NODES, { name: kind }, { type: 'merge', value: { spec: { unschedulable: null } } })
  } else if (verb === 'taint' && kind === 'nodes') {
    const [, key = '', value = '', effect = ''] = /^(.+?)=(.+?):(.+)$/.exec(argument) ?? []
    await api.patch(NODES, { name }, { type: 'strategic', value: { spec: { taints: [{ key, value, effect }] } } })
  } else throw new Error(`there is no kubectl command that can be carried out in: ${sentence}`)
  return command
}
