import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SERVICES } from './generated/message-table.ts'
import { CSI_REGISTRATION_SERVICE, CSI_RPCS, REGISTRATION_SERVICE, rpcsOf } from './rpc.ts'

describe('the calls of CSI', () => {
  it('are those of the specification, under their paths', () => {
    const paths = Object.entries(SERVICES).flatMap(([service, methods]) =>
      methods.map(({ name }) => `/${service}/${name}`),
    )
    const csi = paths.filter((path) => path.startsWith('/csi.v1.'))
    assert.deepEqual(Array.from(CSI_RPCS.values(), ({ path }) => path).toSorted(), csi.toSorted())
    assert.equal(csi.length, 36)
  })

  it('know the names of their messages, and which of them stream', () => {
    const { name, path, requestName, responseName, responseStream } = CSI_RPCS.get('getMetadataDelta') ?? assert.fail()
    assert.deepEqual(
      [name, path, requestName, responseName, responseStream],
      [
        'GetMetadataDelta',
        '/csi.v1.SnapshotMetadata/GetMetadataDelta',
        'csi.v1.GetMetadataDeltaRequest',
        'csi.v1.GetMetadataDeltaResponse',
        true,
      ],
    )
    assert.deepEqual(
      Array.from(CSI_RPCS.values())
        .filter((rpc) => rpc.responseStream)
        .map((rpc) => rpc.key),
      ['getMetadataAllocated', 'getMetadataDelta'],
    )
  })

  it('have a table for the registration services too', () => {
    const rpcs = rpcsOf([REGISTRATION_SERVICE, CSI_REGISTRATION_SERVICE])
    assert.deepEqual(
      Array.from(rpcs.values(), ({ path }) => path),
      [
        '/pluginregistration.Registration/GetInfo',
        '/pluginregistration.Registration/NotifyRegistrationStatus',
        '/csiregistration.CSIRegistration/GetCSIDriverInfo',
      ],
    )
  })

  it('must be in the message table', () => {
    const service = { fullName: 'csi.v9.Identity', methods: REGISTRATION_SERVICE.methods }
    assert.throws(
      () => rpcsOf([service]),
      /csi\.v9\.Identity\/GetInfo is missing in the message table: run npm run generate/,
    )
  })
})
