import { readFileSync } from 'node:fs'

// Always 100 on Linux, whatever the kernel's own clock does.
const TICKS_PER_SECOND = 100
// Counted after the name, which may have spaces in it.
const USER_TIME = 11
const SYSTEM_TIME = 12

/** CPU time that the processes have used since they were started, in microseconds; in steps of 10 ms. */
export function cpuMicros(pids: readonly number[]): number {
  return sum(pids, (pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ((Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) / TICKS_PER_SECOND) * 1e6
  })
}

/** Memory that the processes have in use now, in bytes. */
export const residentBytes = (pids: readonly number[]): number => sum(pids, (pid) => statusBytes(pid, 'VmRSS'))

/** The most that they ever had in use. */
export const peakBytes = (pids: readonly number[]): number => sum(pids, (pid) => statusBytes(pid, 'VmHWM'))

function statusBytes(pid: number, name: string): number {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kibibytes) * 1024
}

const sum = (pids: readonly number[], of: (pid: number) => number): number =>
  pids.reduce((total, pid) => total + of(pid), 0)
