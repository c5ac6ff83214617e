import type { HostFiles } from '../../base/host/index.ts'
import type { Sockets } from '../../csi/sockets.ts'
import type { HttpAnswer } from '../../kube/process/serve-http.ts'

export type CheckRegistrationParts = {
  path: string
  driverName: string
  timeoutMs: number
  files: HostFiles
  sockets: Sockets
}

/** Is our socket there, and do we answer on it? 404 says that it has gone: a restart makes it anew. */
export async function checkRegistration({
  path,
  driverName,
  timeoutMs,
  files,
  sockets,
}: CheckRegistrationParts): Promise<HttpAnswer> {
  const answer = (status: number, body: string): HttpAnswer => ({ status, contentType: 'text/plain', body })
  try {
    if (path === '' || !(await files.findStat(path))) return answer(404, `registration socket ${path} does not exist`)
    const { registrar, connection } = sockets.connectRegistrar(path, { timeoutMs })
    try {
      const { name } = await registrar.getInfo({})
      return name === driverName
        ? answer(200, 'ok')
        : answer(500, `the registration socket is that of another driver: ${name}`)
    } finally {
      connection.close()
    }
  } catch (error) {
    return answer(500, error instanceof Error ? error.message : String(error))
  }
}
