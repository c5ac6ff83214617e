import { basename } from 'node:path'
import type { Denial } from './doctor-facts.ts'

const LINE = /^type=AVC msg=audit\((\d+)\.\d+:\d+\): avc: +denied +\{ ([^}]+) \} (.*)$/
const PROGRAMS: ReadonlySet<string> = new Set(['kubelet', 'kubelite'])
const CLASSES: ReadonlySet<string> = new Set(['sock_file', 'unix_stream_socket'])

/**
 * What the audit log says about sockets of plugins: a denial that names one of `names`, or any socket that the kubelet may not open. Each once,
 * since `sinceMs`. Lines of permissive domains are left out: the access was allowed.
 */
export function parseDenials(log: string, names: ReadonlySet<string>, sinceMs: number): Denial[] {
  const found = new Map<string, Denial>()
  for (const line of log.split('\n')) {
    const [, seconds, permission = '', rest = ''] = LINE.exec(line) ?? []
    if (seconds === undefined || Number(seconds) * 1000 < sinceMs || field(rest, 'permissive') === '1') continue
    const target = field(rest, 'path') ?? field(rest, 'name') ?? ''
    const command = field(rest, 'comm') ?? ''
    const isOfKubelet = PROGRAMS.has(command) && CLASSES.has(field(rest, 'tclass') ?? '')
    if (!isOfKubelet && !names.has(basename(target))) continue
    const denial: Denial = {
      permission: permission.trim(),
      command,
      target,
      source: field(rest, 'scontext') ?? '',
      label: field(rest, 'tcontext') ?? '',
    }
    found.set(JSON.stringify(denial), denial)
  }
  return [...found.values()]
}

const field = (text: string, name: string): string | undefined => {
  const [, quoted, plain] = new RegExp(`(?:^| )${name}=(?:"([^"]*)"|(\\S+))`).exec(text) ?? []
  return quoted ?? plain
}
