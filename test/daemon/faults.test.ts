// A small part of the daemon's proofs, through the same code: the real process, killed and starved.

import { expect, test } from 'vitest'
import { runFullDisk } from '../../build/proof/daemon-disk.js'
import { runDaemonCase } from '../../build/proof/daemon-kill-case.js'
import { runRivals } from '../../build/proof/daemon-rivals.js'

test('F1: a daemon that is killed, and two more during recovery, lose and repeat nothing', async () => {
  const { killed, findings } = await runDaemonCase('small', [
    { site: 'sql.commit', phase: 'after', occurrence: 12 },
    { site: 'sql.insert-events', phase: 'before', occurrence: 2 },
    { site: 'sql.insert-leases', phase: 'after', occurrence: 1 },
  ])
  expect(findings).toEqual([])
  expect(killed).toHaveLength(3)
})

test('F1, E10: killed between accepting and answering, there is one run', async () => {
  const { killed, findings } = await runDaemonCase('small', [
    { site: 'sql.insert-requests', phase: 'after', occurrence: 1 },
    { site: 'sql.insert-queue', phase: 'before', occurrence: 1 },
  ])
  expect(findings).toEqual([])
  expect(killed).toHaveLength(2)
})

test('F5: a run waits for space on a full disk, and continues by itself', async () => {
  const end = await runFullDisk({ site: 'sql.insert-events', occurrence: 9 })
  expect(end).toMatchObject({ wasFull: true, waited: true, findings: [] })
}, 180_000)

test('F7: one of several daemons holds the lock, even while it is stopped', async () => {
  const { notOne, repeated, refusedMs } = await runRivals({ scale: 0.002, note: () => undefined })
  expect(notOne).toEqual([])
  expect(repeated).toEqual([])
  expect(refusedMs.every(Number.isFinite)).toBe(true)
})
