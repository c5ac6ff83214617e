import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { describeLostConnection } from './describe-lost-connection.ts'

const peer = { path: '/csi/csi.sock', driverName: 'csi.example.com' }
const established = (cause: string): string =>
  `No connection established. Last error: Error: ${cause} (2026-01-01T00:00:00.000Z). Resolution note: `

describe('a connection that failed', () => {
  const cases: [behaviour: string, detail: string, said: string][] = [
    [
      'names the driver, the socket and what the system said',
      established('connect ENOENT /csi/csi.sock'),
      'cannot connect to CSI driver csi.example.com at unix:///csi/csi.sock: no such file or directory. Check that the driver is running.',
    ],
    [
      'tells a socket that nobody serves',
      established('connect ECONNREFUSED /csi/csi.sock'),
      'cannot connect to CSI driver csi.example.com at unix:///csi/csi.sock: connection refused. Check that the driver is running.',
    ],
    [
      'keeps a cause that it has no words for',
      established('connect EMFILE'),
      'cannot connect to CSI driver csi.example.com at unix:///csi/csi.sock: connect EMFILE. Check that the driver is running.',
    ],
    [
      'without a cause says no more',
      'No connection established',
      'cannot connect to CSI driver csi.example.com at unix:///csi/csi.sock. Check that the driver is running.',
    ],
    [
      'during a call is not the same as before it',
      'Connection dropped',
      'lost the connection to CSI driver csi.example.com at unix:///csi/csi.sock before it answered. Check that the driver is running.',
    ],
    ["leaves a driver's own words alone", 'the array is rebooting', 'the array is rebooting'],
  ]
  for (const [behaviour, detail, said] of cases)
    test(behaviour, () => equal(describeLostConnection(detail, peer), said))

  test('of a driver that never told its name, names the socket alone', () =>
    equal(
      describeLostConnection('No connection established', { ...peer, driverName: undefined }),
      'cannot connect to the CSI driver at unix:///csi/csi.sock. Check that the driver is running.',
    ))
})
