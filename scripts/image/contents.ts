import type { DebianPackage } from './debian-packages.ts'
import type { TarEntry } from './tar.ts'

/** What Node.js is linked with. */
export const BASE_PACKAGES: readonly string[] = ['libc6', 'libgcc-s1', 'libstdc++6']

/** What the driver and the node agent start: `mount`, `umount` and `losetup`, from a small `sh`; and what those are linked with. */
export const NODE_PACKAGES: readonly string[] = [
  'dash',
  'libblkid1',
  'libmount1',
  'libpcre2-8-0',
  'libselinux1',
  'libsmartcols1',
  'mount',
]

const PROGRAMS = new Set(['dash', 'sh', 'mount', 'umount', 'losetup'])

/** Libraries of libc6 that no program here loads. */
const UNUSED_LIBRARY =
  /\/(gconv|audit)\/|\/lib(BrokenLocale|anl|c_malloc_debug|memusage|nsl|nss_\w+|pcprofile|thread_db|SegFault)[.-]/

/** Libraries, the programs needed, and every package's licence: nothing else of a package. */
export function neededEntries({ entries }: DebianPackage): TarEntry[] {
  return entries
    .filter(({ kind, path }) => kind !== 'directory' && (isLibrary(path) || isProgram(path) || isLicence(path)))
    .map(intoUsr)
}

const isLibrary = (path: string): boolean =>
  /^(usr\/)?lib(64)?\/.*\.so(\.\d+)*$/.test(path) && !UNUSED_LIBRARY.test(path)
const isProgram = (path: string): boolean =>
  /^(usr\/)?s?bin\//.test(path) && PROGRAMS.has(path.slice(path.lastIndexOf('/') + 1))
const isLicence = (path: string): boolean => /^usr\/share\/doc\/[^/]+\/copyright$/.test(path)

/** Debian's /bin, /sbin and /lib are links into /usr: whatever a package puts there has to lie in /usr. */
function intoUsr(entry: TarEntry): TarEntry {
  return /^(bin|sbin|lib|lib64)\//.test(entry.path) ? { ...entry, path: `usr/${entry.path}` } : entry
}

const NON_ROOT = 65532

/** The root of both images: the links into /usr, two users, and an empty /tmp to mount on. */
export const ROOT_ENTRIES: readonly TarEntry[] = [
  ...['bin', 'sbin', 'lib', 'lib64'].map((path): TarEntry => ({ kind: 'link', path, target: `usr/${path}` })),
  ...['usr/bin', 'usr/sbin', 'usr/lib', 'usr/lib64'].map((path): TarEntry => ({ kind: 'directory', path })),
  ...['dev', 'etc', 'proc', 'run', 'sys', 'var/lib'].map((path): TarEntry => ({ kind: 'directory', path })),
  { kind: 'directory', path: 'tmp', mode: 0o1777 },
  text(
    'etc/passwd',
    `root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:${NON_ROOT}:${NON_ROOT}:nonroot:/tmp:/sbin/nologin\n`,
  ),
  text('etc/group', `root:x:0:\nnonroot:x:${NON_ROOT}:\n`),
  text('etc/nsswitch.conf', 'hosts: files dns\n'),
]

export const NON_ROOT_USER = `${NON_ROOT}:${NON_ROOT}`

export function text(path: string, content: string): TarEntry {
  return { kind: 'file', path, content: Buffer.from(content) }
}

/** Files of an npm package that a program does not load: type declarations, sources, tests and pages. */
export function isLoaded(path: string): boolean {
  if (/(^|\/)licen[cs]e[^/]*$/i.test(path)) return true
  return !/\.(d\.[cm]?ts|ts|map|md|markdown|flow|proto)$|(^|\/)(docs|test|tests|\.github)\/|(^|\/)@types\//.test(path)
}
