import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const LARGEST_OUTPUT = 1024 ** 3

/** Runs a program to its end and returns what it printed, as bytes. Fails with its error output if it failed. */
export async function mustRunForBytes(command: string, args: readonly string[], cwd?: string): Promise<Buffer> {
  try {
    const options = { cwd, encoding: 'buffer', maxBuffer: LARGEST_OUTPUT } as const
    return (await promisify(execFile)(command, args, options)).stdout
  } catch (error) {
    const { code, stderr, message } = error as Error & { code?: string | number; stderr?: Buffer }
    if (code === 'ENOENT')
      throw new Error(
        `${command} is not installed: images are built on Debian or Ubuntu, with apt-get, dpkg-deb, npm and tar`,
      )
    throw new Error(`${command} ${args.join(' ')}: ${stderr?.toString().trim() || message}`)
  }
}

export const mustRun = async (command: string, args: readonly string[], cwd?: string): Promise<string> =>
  (await mustRunForBytes(command, args, cwd)).toString()
