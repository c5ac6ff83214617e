/** One entry of an archive. Owner and times are not part of it: every archive written here has the same ones. */
export type TarEntry =
  | { kind: 'file'; path: string; content: Uint8Array; isExecutable?: boolean }
  | { kind: 'directory'; path: string; mode?: number }
  | { kind: 'link'; path: string; target: string }

const BLOCK = 512
const TYPE_FLAGS = { file: '0', link: '2', directory: '5' } as const

/**
 * Writes a tar archive whose bytes depend on names and contents alone: entries are sorted, everything belongs to root, and every time is zero.
 * Missing parent directories are added.
 */
export function writeTar(entries: readonly TarEntry[]): Buffer {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]))
  for (const { path } of entries) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const parent = path.slice(0, end)
      if (!byPath.has(parent)) byPath.set(parent, { kind: 'directory', path: parent })
    }
  }
  const sorted = [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  return Buffer.concat([...sorted.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)])
}

function blocksOf(entry: TarEntry): Uint8Array[] {
  const name = entry.kind === 'directory' ? `${entry.path}/` : entry.path
  const content = entry.kind === 'file' ? entry.content : new Uint8Array()
  const long = [
    ...(Buffer.byteLength(name) > 100 ? [pax('path', name)] : []),
    ...(entry.kind === 'link' && Buffer.byteLength(entry.target) > 100 ? [pax('linkpath', entry.target)] : []),
  ].join('')
  const blocks = long ? [header('PaxHeaders', 'x', 0o644, Buffer.byteLength(long), ''), padded(Buffer.from(long))] : []
  const target = entry.kind === 'link' ? entry.target : ''
  blocks.push(header(name, TYPE_FLAGS[entry.kind], modeOf(entry), content.length, target))
  if (content.length > 0) blocks.push(padded(content))
  return blocks
}

function modeOf(entry: TarEntry): number {
  if (entry.kind === 'link') return 0o777
  if (entry.kind === 'directory') return entry.mode ?? 0o755
  return entry.isExecutable ? 0o755 : 0o644
}

/** A record of an extended header. Its length counts the digits of the length itself. */
function pax(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest + String(rest).length
  if (String(length).length > String(rest).length) length = rest + String(length).length
  return `${length} ${key}=${value}\n`
}

function header(name: string, typeFlag: string, mode: number, size: number, target: string): Buffer {
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`
  block.write(name, 0, 100)
  block.write(octal(mode, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(size, 11), 124)
  block.write(octal(0, 11), 136)
  block.write('        ', 148)
  block.write(typeFlag, 156)
  block.write(target, 157, 100)
  block.write('ustar\x0000', 257)
  block.write(
    `${block
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  )
  return block
}

function padded(content: Uint8Array): Buffer {
  const rest = content.length % BLOCK
  return Buffer.concat([content, Buffer.alloc(rest === 0 ? 0 : BLOCK - rest)])
}

/** Reads the files, directories and symbolic links of an archive made by tar or dpkg, with names relative to its root. */
export function readTar(archive: Buffer): TarEntry[] {
  const entries: TarEntry[] = []
  let longName: string | undefined
  for (let offset = 0; offset + BLOCK <= archive.length && archive[offset] !== 0;) {
    const block = archive.subarray(offset, offset + BLOCK)
    const size = Number.parseInt(textAt(block, 124, 12), 8)
    const content = archive.subarray(offset + BLOCK, offset + BLOCK + size)
    offset += BLOCK + Math.ceil(size / BLOCK) * BLOCK
    const typeFlag = textAt(block, 156, 1) || '0'
    if (typeFlag === 'L') {
      longName = textAt(content, 0, size)
      continue
    }
    if (typeFlag === 'x') {
      longName = /^\d+ path=(.*)$/m.exec(content.toString())?.[1]
      continue
    }
    const prefix = textAt(block, 345, 155)
    const path = (longName ?? (prefix ? `${prefix}/` : '') + textAt(block, 0, 100)).replace(/^(\.?\/)+|\/$/g, '')
    longName = undefined
    if (path === '' || path === '.') continue
    if (typeFlag === '0') {
      const isExecutable = (Number.parseInt(textAt(block, 100, 8), 8) & 0o111) !== 0
      entries.push({ kind: 'file', path, content: Buffer.from(content), isExecutable })
    } else if (typeFlag === '5') {
      entries.push({ kind: 'directory', path })
    } else if (typeFlag === '2') {
      entries.push({ kind: 'link', path, target: textAt(block, 157, 100) })
    }
  }
  return entries
}

function textAt(block: Buffer, start: number, length: number): string {
  const text = block.toString('utf8', start, start + length)
  const end = text.indexOf('\0')
  return (end === -1 ? text : text.slice(0, end)).trimEnd()
}
