/** The daemon against those who would use it without being asked to. */

import { atLeast, atMost, type Suite } from '../bench/report.ts'
import { apiNames } from './api-names.ts'
import { attackDaemon } from './daemon-attacks.ts'
import { tryDisks } from './daemon-bad-disk.ts'
import { busyRecord } from './daemon-busy.ts'
import { setClocks } from './daemon-clock.ts'
import { findOpenDoors, findUnrefused, rotate } from './daemon-doors.ts'
import { lookAtModes } from './daemon-modes.ts'
import { findSlow } from './daemon-slow.ts'
import { openStage } from './daemon-stage.ts'
import { droppedStreams } from './daemon-streams.ts'

const attacked: Suite = {
  area: 'daemon',
  title: 'S1, S2, S3, S7: attacks on every route',
  async run({ note }) {
    const { made, routes, problems } = await attackDaemon()
    for (const problem of problems) note(`  ${problem}`)
    const count = [...made.values()].reduce((sum, one) => sum + one, 0)
    const tables = [...made].map(([table, number]) => `${table} ${number}`).join(', ')
    return [
      atLeast('daemon.attacks', count, 20 * routes, 'attacks', `${routes} routes: ${tables}`),
      atMost('daemon.attacks-let-in', problems.length, 0, 'attacks'),
    ]
  },
}

const doors: Suite = {
  area: 'daemon',
  title: 'S4, S7: where it listens, and how long an old token lives',
  async run({ note }) {
    const stage = await openStage()
    try {
      const open = [...(await findOpenDoors(stage.daemon)), ...(await findUnrefused(stage.folder))]
      for (const problem of open) note(`  ${problem}`)
      const { refusedMs, closedMs } = await rotate(stage)
      return [
        atMost('daemon.open-doors', open.length, 0, 'listeners'),
        atMost('daemon.old-token-refused', refusedMs, 1000, 'ms'),
        atMost('daemon.old-stream-closed', closedMs, 1000, 'ms'),
      ]
    } finally {
      await stage.close()
    }
  },
}

const modes: Suite = {
  area: 'daemon',
  title: 'S16: modes of files, with a umask that allows everything',
  async run({ note }) {
    const { seen, problems } = await lookAtModes(2)
    for (const problem of problems) note(`  ${problem}`)
    return [atMost('daemon.loose-modes', problems.length, 0, 'files', `${seen} looked at`)]
  },
}

const slow: Suite = {
  area: 'daemon',
  title: 'clients that send next to nothing, for as long as they are let',
  async run({ note }) {
    const { longestMs, problems } = await findSlow()
    for (const problem of problems) note(`  ${problem}`)
    return [
      atMost('daemon.slow-clients-let-in', problems.length, 0, 'clients'),
      atMost('daemon.slow-client-time', longestMs / 1000, 35, 's'),
    ]
  },
}

const disks: Suite = {
  area: 'daemon',
  title: 'a disk that is full, or can only be read',
  async run({ note }) {
    const { seen, skipped, problems } = tryDisks()
    for (const problem of problems) note(`  ${problem}`)
    const detail = skipped ?? `${seen} disks`
    return [atMost('daemon.disks-unsaid', problems.length, 0, 'disks', detail)]
  },
}

export const daemonSuites: readonly Suite[] = [
  attacked,
  doors,
  modes,
  disks,
  slow,
  droppedStreams,
  busyRecord,
  setClocks,
  apiNames,
]
