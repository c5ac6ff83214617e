import { dirname } from 'node:path'
import { isTemporaryName } from '../base/host/index.ts'
import type { HostError } from '../base/host/index.ts'

const DOINGS: Readonly<Record<string, string>> = {
  makeDirectory: "can't make the directory",
  list: "can't read",
  readFile: "can't read",
  readRange: "can't read",
  resolve: "can't find",
  findStat: "can't look at",
  removeFile: "can't remove",
  removeDirectory: "can't remove",
  removeTree: "can't remove",
  unmount: "can't unmount",
}

const CAUSES: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EEXIST: 'something else has this name',
  ENOTDIR: 'a part of the path is a file',
  EISDIR: 'it is a directory',
  ENOENT: 'there is no such file or directory',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many files are open; raise the limit with ulimit -n',
  ENFILE: 'too many files are open on this machine',
  EBUSY: 'it is in use',
}

/** A readable message for a failed host operation: the operation and the meaning of the errno. Unknown errors keep their message. */
export function describeHostError({ operation, code, path, message }: HostError): string {
  const why = CAUSES[code]
  if (why === undefined) return message
  const name = path.slice(path.lastIndexOf('/') + 1)
  // The temporary name of a file that is being replaced means nothing to users.
  return isTemporaryName(name)
    ? `can't write a file in ${dirname(path)}: ${why}`
    : `${DOINGS[operation] ?? "can't write"} ${path}: ${why}`
}
