import type { LoopDevice } from './host.ts'

/** Parses the output of `losetup --json --list --output NAME,BACK-FILE,RO`. Old versions print nothing for an empty list, and flags as text. */
export function parseLosetupList(text: string): LoopDevice[] {
  if (text.trim() === '') return []
  const parsed: unknown = JSON.parse(text)
  const devices = isRecord(parsed) ? parsed['loopdevices'] : undefined
  if (!Array.isArray(devices)) throw new Error('losetup printed no list of loop devices')
  return devices.flatMap((entry: unknown) => {
    if (!isRecord(entry) || typeof entry['name'] !== 'string')
      throw new Error('losetup printed a device without a name')
    // A device without a file is just being detached.
    if (typeof entry['back-file'] !== 'string') return []
    return [{ device: entry['name'], backingFile: entry['back-file'], readOnly: isSet(entry['ro']) }]
  })
}

const isSet = (flag: unknown): boolean => flag === true || flag === 1 || flag === '1'

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
