import { CSI_RPCS } from '../../csi/rpc.ts'
import type { Transport } from '../../csi/index.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { Case } from '../case.ts'
import type { CaseContext } from '../case-context.ts'
import { callWithAuthority } from '../raw-call.ts'
import { createVolume } from '../volume-steps.ts'

const UNIX = 'Communication between a CO and a Plugin SHALL be transported over UNIX Domain Sockets.'
const SCHEME = 'Error Scheme'
const ANSWER_MS = 5000

async function expectAnswer(check: CaseContext, authority: string): Promise<void> {
  const rpc = CSI_RPCS.get('getPluginInfo')
  if (!rpc) return
  const reply = await callWithAuthority(check.endpoint, rpc, authority, ANSWER_MS)
  const found = 'status' in reply ? `gRPC status ${reply.status}` : reply.problem
  check.expect(
    'status' in reply && reply.status === '0',
    `GetPluginInfo with :authority ${JSON.stringify(authority)} succeeds`,
    found,
  )
}

// A field of a later version of the specification: number 1023, a string.
const UNKNOWN_FIELD = Buffer.from([0xfa, 0x3f, 0x06, ...Buffer.from('future')])

const withUnknownField = (transport: Transport): Transport => ({
  unary: (rpc, request, call) => transport.unary(rpc, Buffer.concat([request, UNKNOWN_FIELD]), call),
  serverStream: (rpc, request, call) => transport.serverStream(rpc, Buffer.concat([request, UNKNOWN_FIELD]), call),
})

export const WIRE_CASES: readonly Case[] = [
  {
    id: 'wire/authority-path',
    title: 'a client whose :authority is the path of the socket is served',
    clause: UNIX,
    section: 'Connectivity',
    needs: [],
    run: (check) => expectAnswer(check, check.endpoint),
  },
  {
    id: 'wire/authority-escaped',
    title: 'a client whose :authority is the escaped path of the socket is served',
    clause: UNIX,
    section: 'Connectivity',
    needs: [],
    run: (check) => expectAnswer(check, encodeURIComponent(check.endpoint)),
  },
  {
    id: 'wire/unknown-field',
    title: 'a field of a newer version of the specification is ignored',
    clause:
      'Older plugins will parse but likely not "process" newer fields that MAY be present in capability-validation messages (and sub-messages) sent by a CO that is communicating using a newer, backwards-compatible version of the CSI protobufs. Therefore, the CO SHALL reconcile',
    section: 'ValidateVolumeCapabilities',
    needs: [],
    run: async (check) => {
      const driver = check.driverOver(withUnknownField)
      await driver.getPluginInfo({})
      if (!check.features.controller.has('CREATE_DELETE_VOLUME')) return
      await driver.deleteVolume({ volumeId: check.absentId() })
    },
  },
  {
    id: 'wire/error-message',
    title: 'an error has a message',
    clause:
      'The status `message` MUST contain a human readable description of error, if the status `code` is not `OK`.',
    section: SCHEME,
    needs: ['plugin:CONTROLLER_SERVICE'],
    run: async (check) => {
      const error = await failureOf(check.driver.validateVolumeCapabilities({}))
      check.expect(error.detail !== 'the driver gave no reason' && error.detail.trim() !== '', 'a message', 'none')
    },
  },
  {
    id: 'secrets/not-in-errors',
    title: 'the values of secrets do not appear in errors',
    clause:
      'This information is sensitive and MUST be treated as such (not logged, etc.) by the CO. … This string MAY be surfaced by CO to end users.',
    section: 'Secrets Requirements',
    needs: ['controller:CREATE_DELETE_VOLUME'],
    run: async (check) => {
      const secret = `secret-${check.name('x')}`
      let seen = ''
      // Below the client, which would hide the secret.
      const watch = (transport: Transport): Transport => ({
        unary: async (rpc, request, call) => {
          try {
            return await transport.unary(rpc, request, call)
          } catch (error) {
            seen += error instanceof CsiError ? error.detail : ''
            throw error
          }
        },
        serverStream: (rpc, request, call) => transport.serverStream(rpc, request, call),
      })
      const driver = check.driverOver(watch)
      const secrets = { password: secret }
      await driver.createVolume({ name: check.name('a'), secrets }).catch(() => {})
      await driver.deleteVolume({ secrets }).catch(() => {})
      await driver.controllerExpandVolume({ volumeId: check.absentId(), secrets }).catch(() => {})
      await driver.createSnapshot({ sourceVolumeId: check.absentId(), secrets }).catch(() => {})
      check.expect(!seen.includes(secret), 'errors without the value of the secret', 'the value of the secret')
    },
  },
  {
    id: 'secrets/unexpected',
    title: 'secrets that the driver does not need do no harm',
    clause:
      'A CO MAY pass the same secrets to all RPCs, therefore the keys for all unique secrets that an SP expects MUST be unique across all CSI operations.',
    section: 'Secrets Requirements',
    needs: ['controller:CREATE_DELETE_VOLUME'],
    volumes: 1,
    run: async (check) => {
      const given = check.settings.secrets.get('CreateVolume') ?? {}
      await createVolume(check, 'a', { secrets: { ...given, 'holdfast-check': 'x' } })
    },
  },
]

async function failureOf(call: Promise<unknown>): Promise<CsiError> {
  try {
    await call
  } catch (error) {
    if (error instanceof CsiError) return error
    throw error
  }
  return new CsiError(undefined, 'no error')
}
