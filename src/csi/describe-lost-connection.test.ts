import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { describeFailedConnection, describeLostConnection } from './describe-lost-connection.ts'

const peer = { path: '/csi/csi.sock', driverName: 'csi.example.com' }

describe('a connection that failed', () => {
  const cases: [behaviour: string, error: { code?: string; message: string }, said: string][] = [
    [
      'names the driver, the socket and what the system said',
      { code: 'ENOENT', message: 'connect ENOENT /csi/csi.sock' },
      'cannot connect to CSI driver csi.example.com at unix:///csi/csi.sock: no such file or directory. Check that the driver is running.',
    ],
    [
      'tells a socket that nobody serves',
      { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED /csi/csi.sock' },
      'cannot connect to CSI driver csi.example.com at unix:///csi/csi.sock: connection refused. Check that the driver is running.',
    ],
    [
      'keeps a cause that it has no words for',
      { code: 'EMFILE', message: 'connect EMFILE' },
      'cannot connect to CSI driver csi.example.com at unix:///csi/csi.sock: connect EMFILE. Check that the driver is running.',
    ],
    [
      'without a cause says no more',
      { message: '' },
      'cannot connect to CSI driver csi.example.com at unix:///csi/csi.sock. Check that the driver is running.',
    ],
  ]
  for (const [behaviour, error, said] of cases)
    test(behaviour, () => equal(describeFailedConnection(error, peer), said))

  test('during a call is not the same as before it', () =>
    equal(
      describeLostConnection(peer),
      'lost the connection to CSI driver csi.example.com at unix:///csi/csi.sock before it answered. Check that the driver is running.',
    ))

  test('of a driver that never told its name, names the socket alone', () =>
    equal(
      describeFailedConnection({ message: '' }, { ...peer, driverName: undefined }),
      'cannot connect to the CSI driver at unix:///csi/csi.sock. Check that the driver is running.',
    ))
})
